public import Backstitch
import BackstitchSupport

// To share an object, it is moved into a zone of its own, and the zone is shared.
extension PersistentContainer {
    /// Shares an object with others, and everything below it by the parent relationships of the entities
    /// (``Backstitch/EntityDescription/parent(_:)``), now and later. They move into a zone of their own, as the same
    /// objects with the same keys, on all of the user's devices. This needs the network.
    ///
    /// ```swift
    /// let share = try await container.share(
    ///     list.objectID, title: "Groceries", participants: [.init(emailAddress: "bob@example.org")])
    /// send(share.url)    // Bob's program gives it to container.acceptShare(at:)
    /// ```
    /// If the object's zone is shared as a whole, the object keeps its zone, and the existing share is returned. If the
    /// object is shared in place, it stays there and the call is refused; see
    /// ``shareInPlace(_:title:publicPermission:participants:)``. To bring the objects back, end the share with
    /// ``SyncSharing/stop(zoneNamed:)`` and move them with ``SyncZones/move(_:to:)``.
    ///
    /// - Parameters:
    ///   - root: An object of a synced store of the private database.
    ///   - title: The name shown to invited users.
    ///   - publicPermission: The rights of uninvited users with the address.
    ///   - participants: The invited users.
    ///   - cutsLinks: Whether links between objects that move and objects that stay are removed. The removal is saved
    ///     before anything moves. Otherwise such links are an error.
    /// - Throws: ``BackstitchError/Code/crossZoneRelationship`` with a fault for each such link;
    ///   ``BackstitchError/Code/objectNotFound`` if no synced store has the object;
    ///   ``BackstitchError/Code/invalidRequest`` with a fault for each object that is shared in place or has a blocked
    ///   change. Then nothing is changed, no link is removed and no zone is made;
    ///   ``BackstitchError/Code/saveConflict`` if another device has moved it elsewhere meanwhile; a
    ///   ``BackstitchError`` if the server cannot be reached, or refuses. The objects may then already be in their
    ///   zone, and the call can be repeated.
    @discardableResult
    public func share(
        _ root: ObjectID, title: String? = nil, publicPermission: Share.Permission = .none,
        participants: [Share.Participant] = [], cutsLinks: Bool = false
    ) async throws -> Share {
        let sync = try await sync(holding: root)
        let former = try await sync.zones.zone(of: root)
        // The zone's name contains the object's key. So two devices that share the same object make the same zone.
        let name = "Share-\(root.key.uuidString)"
        let shares = try await sync.sharing.shares().filter { $0.zone == former }
        if shares.contains(where: { $0.root == root }) {
            throw BackstitchError(
                .invalidRequest,
                "\(root) is shared in its present zone, so it cannot move into a zone of its own: invite others "
                    + "to its share with shareInPlace(_:) and sync.sharing.update(_:), or end that share with "
                    + "sync.sharing.stop(_:) first",
                objectID: root
            )
        }
        if former.name != name, let share = shares.first(where: \.isOfZone) { return share }
        if former.name != name {
            // This comes before any change, so that a refusal leaves no change behind.
            let links = try await sync.zones.linksLeaving([root], zoneNamed: name, areRefused: !cutsLinks)
            try await sync.zones.create(named: name)
            try await cut(links, as: sync.services.client.options.sentSaves.sender)
            try await sync.zones.move([root], to: name)
        }
        // An edit sent by another device at the same time costs another round.
        for _ in 0..<3 where try await sync.zones.zone(of: root).name != name { try await sync.sync() }
        let place = try await sync.zones.zone(of: root)
        guard place.name == name else {
            throw BackstitchError(
                .saveConflict,
                "\(root) could not be moved into the zone \"\(name)\": it is in "
                    + (place.isMain ? "the main zone" : "the zone \"\(place.name)\"") + "; share it again",
                objectID: root)
        }
        return try await sync.sharing.share(
            zoneNamed: name, title: title, publicPermission: publicPermission, participants: participants)
    }

    /// Shares an object with others in place, and everything below it by the parent relationships of the entities
    /// (``Backstitch/EntityDescription/parent(_:)``), now and later. Nothing moves, and nothing else of its zone is
    /// shown. Objects later put below it are shown from then on; objects taken away from there are no longer shown.
    /// This needs the network. An unsent object is sent first.
    ///
    /// ```swift
    /// let share = try await container.shareInPlace(
    ///     trip.objectID, title: "Rome", participants: [.init(emailAddress: "bob@example.org")])
    /// send(share.url)    // Bob's program gives it to container.acceptShare(at:)
    /// ```
    /// An object may be below another shared object. Others then have the better rights of the two shares. An object
    /// that is shared already keeps its share, which is returned unchanged. The share ends with
    /// ``SyncSharing/stop(_:)``, or with the object.
    ///
    /// - Parameters:
    ///   - root: An object of a synced store of the private database.
    ///   - title: The name shown to invited users.
    ///   - publicPermission: The rights of uninvited users with the address.
    ///   - participants: The invited users.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` if its zone is shared as a whole, since the object is then
    ///   shared with the zone, and for an object refused by the server;
    ///   ``BackstitchError/Code/objectNotFound`` if no synced store has the object;
    ///   ``BackstitchError/Code/saveConflict`` if others change it during each attempt to share it; a
    ///   ``BackstitchError`` if the server cannot be reached, or refuses. If its answer was lost, the object may be
    ///   shared. The call can be repeated.
    @discardableResult
    public func shareInPlace(
        _ root: ObjectID, title: String? = nil, publicPermission: Share.Permission = .none,
        participants: [Share.Participant] = []
    ) async throws -> Share {
        try await sync(holding: root).sharing.shareInPlace(
            root, title: title, publicPermission: publicPermission, participants: participants)
    }

    private func sync(holding id: ObjectID) async throws -> SyncController {
        var isOfOthers = false
        for store in coordinator.stores.compactMap({ $0 as? SyncStore }) {
            guard try await !store.sync.zones.names(of: [id]).isEmpty else { continue }
            if store.options.database == .private { return store.sync }
            isOfOthers = true
        }
        throw BackstitchError(
            isOfOthers ? .invalidRequest : .objectNotFound,
            isOfOthers
                ? "\(id) is not in a zone of this user, so this user cannot share it; ask its owner to invite others"
                : "\(id) is in no synced store of the container, so it cannot be shared; save it first",
            objectID: id)
    }

    /// Removes links, and saves this under the author and context name of the caller.
    private func cut(
        _ links: [ObjectFamilyLink], as sender: (author: String?, contextName: String?)
    ) async throws {
        guard !links.isEmpty else { return }
        try await perform(author: sender.author) { context in
            context.name = sender.contextName
            for link in links {
                let source = try context.existingObject(with: link.source)
                let property = try source.entity.requireProperty(named: link.property)
                if property.relationship?.isToMany == true {
                    let targets: Set<ManagedObject> = source[link.property]
                    source[link.property] = targets.filter { $0.objectID != link.target }
                } else {
                    try source.setObject(nil, forKey: link.property)
                }
            }
            try context.save()
        }
    }
}
