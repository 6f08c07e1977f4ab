public import Backstitch
import BackstitchSupport

// Sharing an object: it moves into a zone of its own, which is shared.
extension PersistentContainer {
    /// Shares an object with others, and all that hangs on it by the relationship that its entity names as that to the
    /// parent (``Backstitch/EntityDescription/parent(_:)``), now and later. They move into a zone of their own, as the
    /// same objects with the same keys, on all of the user's devices; the network must be there.
    ///
    /// ```swift
    /// let share = try await container.share(
    ///     list.objectID, title: "Groceries", participants: [.init(emailAddress: "bob@example.org")])
    /// send(share.url)    // Bob's program gives it to container.acceptShare(at:)
    /// ```
    /// An object of a zone that is shared as a whole keeps its zone, whose share is given back as it is. One that is
    /// shared where it is stays there, and the call is refused; see
    /// ``shareInPlace(_:title:publicPermission:participants:)``. To bring the objects back, end the share with
    /// ``SyncController/stopSharing(zoneNamed:)`` and move them with ``SyncController/move(_:toZoneNamed:)``.
    ///
    /// - Parameters:
    ///   - root: An object of a synced store of the private database.
    ///   - title: The name under which invited users see it.
    ///   - publicPermission: The rights of users who have the address and were not invited.
    ///   - participants: Those who are invited.
    ///   - cutsLinks: Whether links between objects that move and others that stay are taken away, which is saved
    ///     before anything moves. Else they are an error.
    /// - Throws: ``BackstitchError/Code/crossZoneRelationship`` with a fault for each of those links;
    ///   ``BackstitchError/Code/objectNotFound`` where no synced store has the object;
    ///   ``BackstitchError/Code/invalidRequest`` with a fault for each object that is shared where it is, or has a
    ///   blocked change: nothing is changed then, no link taken away and no zone made;
    ///   ``BackstitchError/Code/saveConflict`` where another device has moved it elsewhere meanwhile; a
    ///   ``BackstitchError`` when the server cannot be asked, or refuses: the objects may be in their zone then, and
    ///   the call can be repeated.
    @discardableResult
    public func share(
        _ root: ObjectID, title: String? = nil, publicPermission: Share.Permission = .none,
        participants: [Share.Participant] = [], cutsLinks: Bool = false
    ) async throws -> Share {
        let sync = try await sync(holding: root)
        let former = try await sync.zone(of: root)
        // The zone's name tells whose it is, so that two devices that share one object make one zone.
        let name = "Share-\(root.key.uuidString)"
        let shares = try await sync.shares().filter { $0.zone == former }
        if shares.contains(where: { $0.root == root }) {
            throw BackstitchError(
                .invalidRequest,
                "\(root) is shared where it is, so it cannot move into a zone of its own: invite others to its share "
                    + "by shareInPlace(_:) and update(_:), or end that share with stopSharing(_:) first", objectID: root
            )
        }
        if former.name != name, let share = shares.first(where: \.isOfZone) { return share }
        if former.name != name {
            // Before anything is changed that would stay where something is refused.
            let links = try await sync.linksLeaving([root], zoneNamed: name, areRefused: !cutsLinks)
            try await sync.createZone(named: name)
            try await cut(links, as: sync.services.client.options.sentSaves.sender)
            try await sync.move([root], toZoneNamed: name)
        }
        // An edit that another device sends at the same time takes another round.
        for _ in 0..<3 where try await sync.zone(of: root).name != name { try await sync.sync() }
        let place = try await sync.zone(of: root)
        guard place.name == name else {
            throw BackstitchError(
                .saveConflict,
                "\(root) could not be moved into the zone \"\(name)\": it is in "
                    + (place.isMain ? "the main zone" : "the zone \"\(place.name)\"") + "; share it again",
                objectID: root)
        }
        return try await sync.share(
            zoneNamed: name, title: title, publicPermission: publicPermission, participants: participants)
    }

    /// Shares an object with others where it is, and all that hangs on it by the relationship that its entity names as
    /// that to the parent (``Backstitch/EntityDescription/parent(_:)``), now and later: nothing moves, and nothing else
    /// of its zone is shown. Objects that are put below it are shown from then on, and those that are taken away from
    /// there no more. The network must be there; an object that was not sent yet is sent first.
    ///
    /// ```swift
    /// let share = try await container.shareInPlace(
    ///     trip.objectID, title: "Rome", participants: [.init(emailAddress: "bob@example.org")])
    /// send(share.url)    // Bob's program gives it to container.acceptShare(at:)
    /// ```
    /// An object may be below another one that is shared too; others have on it the best of the rights that both give.
    /// One that is shared already keeps its share, which is given back as it is. The share ends with
    /// ``SyncController/stopSharing(_:)``, or with the object.
    ///
    /// - Parameters:
    ///   - root: An object of a synced store of the private database.
    ///   - title: The name under which invited users see it.
    ///   - publicPermission: The rights of users who have the address and were not invited.
    ///   - participants: Those who are invited.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` where its zone is shared as a whole, since then it is shared
    ///   with that, and for an object that the server does not take; ``BackstitchError/Code/objectNotFound`` where no
    ///   synced store has the object; ``BackstitchError/Code/saveConflict`` where others change it each time that it is
    ///   to be shared; a ``BackstitchError`` when the server cannot be asked, or refuses. Where its answer was lost the
    ///   object may be shared; the call can be repeated.
    @discardableResult
    public func shareInPlace(
        _ root: ObjectID, title: String? = nil, publicPermission: Share.Permission = .none,
        participants: [Share.Participant] = []
    ) async throws -> Share {
        try await sync(holding: root).shareInPlace(
            root, title: title, publicPermission: publicPermission, participants: participants)
    }

    private func sync(holding id: ObjectID) async throws -> SyncController {
        var isOfOthers = false
        for store in coordinator.stores.compactMap({ $0 as? SyncStore }) {
            guard try await !store.sync.zoneNames(of: [id]).isEmpty else { continue }
            if store.options.database == .private { return store.sync }
            isOfOthers = true
        }
        throw BackstitchError(
            isOfOthers ? .invalidRequest : .objectNotFound,
            isOfOthers
                ? "\(id) is in no zone of this user's own, so this user cannot share it; ask its owner to invite others"
                : "\(id) is in no synced store of the container, so it cannot be shared; save it first",
            objectID: id)
    }

    /// Takes links away, and saves that in somebody's name.
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

extension SyncController {
    /// The links between objects that would move to a zone, with what hangs on them, and others that would stay.
    ///
    /// - Parameters:
    ///   - name: The zone's name. There need not be one yet.
    ///   - areRefused: Whether there may be none.
    /// - Throws: As ``move(_:toZoneNamed:)`` for objects that cannot move.
    func linksLeaving(
        _ ids: [ObjectID], zoneNamed name: String, areRefused: Bool
    ) async throws -> [ObjectFamilyLink] {
        try await services.onWholeStore { [model = services.settings.model] store in
            try store.readJournal { journal in
                let zone = try journal.zones().first { $0.value == name }?.key ?? ObjectFamily.newZone
                let family = try ObjectFamily(of: ids, in: journal, model)
                try journal.requireMovable(family, to: zone)
                if areRefused { try journal.refuseLinks(of: family, leavingZone: zone, model) }
                return try family.links(leavingZone: zone, in: journal, model)
            }
        }
    }
}
