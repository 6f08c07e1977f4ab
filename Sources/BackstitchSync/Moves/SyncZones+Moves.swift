public import Backstitch
import CloudWire

extension SyncZones {
    /// Moves objects to another zone, each with everything below it by the parent relationships of the entities
    /// (``Backstitch/EntityDescription/parent(_:)``). They stay the same objects, with the same keys, here and on the
    /// user's other devices.
    ///
    /// ```swift
    /// try await sync.zones.create(named: "Club")
    /// try await sync.zones.move([list.objectID], to: "Club")     // the items of the list go along
    /// try await sync.sync()                                         // they are there
    /// ```
    /// No network is needed. Objects unknown to the server are in the other zone at once, if none of them is known. The
    /// others keep their zone until the server has moved them. This may be at once: ``zone(of:)`` tells.
    ///
    /// - Edits made meanwhile, here or elsewhere, go along.
    /// - The last call decides.
    /// - If two devices move an object to different zones, the move that reaches the server first decides.
    /// - If the zone is deleted before the objects are there, they stay in their former zones.
    ///
    /// An asset whose bytes are not here is downloaded for the move.
    ///
    /// - Parameter ids: The objects. Objects already in the zone stay there, even if they were about to leave it.
    /// - Parameter name: The name of a zone of the store; empty for the main zone.
    /// - Returns: The objects that move, including those that go along. Objects that were about to leave the zone are
    ///   also among them.
    /// - Throws: ``BackstitchError/Code/crossZoneRelationship`` with a fault for each link between an object that moves
    ///   and one that stays; ``BackstitchError/Code/objectNotFound`` for an object outside the store;
    ///   ``BackstitchError/Code/invalidRequest`` for a zone outside the store, for an object that is shared in place or
    ///   has a blocked change (``SyncBlocked/changes()``), and in a store of the shared database;
    ///   ``BackstitchError/Code/readOnly`` under the option ``Backstitch/StoreOption/syncReadOnly``; the store's
    ///   errors. After an error nothing has changed.
    /// - Complexity: O(*n*) in the number of objects that move.
    @discardableResult
    public func move(_ ids: [ObjectID], to name: String) async throws -> [ObjectID] {
        try services.client.options.requireWriting()
        try services.client.options.requireOwnZones("move objects", else: "only their owner moves them")
        let moved = try await services.onWholeStore { [services, name] store in
            try store.moveObjects(ids, toZoneNamed: name, services.settings.model)
        }
        driver.tell(.trigger(.localSave, ticket: nil))
        return moved
    }

    /// The links between objects that would move to a zone, with everything below them, and objects that would stay.
    ///
    /// - Parameter name: The zone's name. The zone need not exist yet.
    /// - Parameter areRefused: Whether any such link is an error.
    /// - Throws: As ``move(_:to:)`` for objects that cannot move.
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

extension JournalingStore {
    /// Starts to move objects to a zone, with everything below them; see ``SyncZones/move(_:to:)``.
    @discardableResult
    package func moveObjects(
        _ ids: [ObjectID], toZoneNamed name: String, _ model: SyncedModel
    ) throws -> [ObjectID] {
        try writeJournal(author: SyncAuthor.name) { journal in
            let zones = try journal.zones()
            guard let number = name.isEmpty ? 0 : zones.first(where: { $0.value == name })?.key else {
                let known = zones.values.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
                throw BackstitchError(
                    .invalidRequest,
                    "objects cannot move to the zone \"\(name)\", which the store does not have"
                        + (known.isEmpty ? "" : "; it has \(known)") + ": make it with sync.zones.create(named:) first")
            }
            return try journal.beginMove(of: ids, to: number, model)
        }
    }
}
