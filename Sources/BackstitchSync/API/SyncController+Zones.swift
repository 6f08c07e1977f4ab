public import Backstitch
import CloudWire

extension SyncController {
    /// The store's zones: the main one first, then the others in order of their names. A store of the shared database
    /// has only those that others share.
    public func zones() async throws -> [SyncZone] {
        let names = try await services.onWholeStore { try $0.readJournal { try $0.zones().values.sorted() } }
        return (hasMainZone ? [mainZone] : []) + names.map(zone(named:))
    }

    /// The zone that an object is in. One that is in no store, or not synced, counts to the main one.
    public func zone(of id: ObjectID) async throws -> SyncZone {
        let name = try await services.onWholeStore { store in
            try store.readJournal { journal in
                try journal.zones(of: [id.key])[id.key].flatMap { try journal.zones()[$0] }
            }
        }
        return name.map(zone(named:)) ?? mainZone
    }

    /// Makes a zone, in which new objects can be put from now on. It is made on the server, and on the user's other
    /// devices, by the next sync; so the network need not be there.
    ///
    /// ```swift
    /// let club = try await sync.createZone(named: "Club")
    /// try await container.perform { context in
    ///     let list = ShoppingList(context: context)
    ///     try context.assign(list, toZone: club.name)
    ///     Item(context: context).list = list      // goes along, where the model says .parent("list")
    ///     try context.save()
    /// }
    /// ```
    /// Devices that make a zone of the same name have the same zone then. A zone that is there already is given back.
    ///
    /// - Parameter name: 1 to 100 letters, digits, hyphens or underscores of ASCII. On the server the name of the main
    ///   zone and a dot stand before it.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for another name, and in a store of the shared database;
    ///   ``BackstitchError/Code/readOnly`` under the option ``Backstitch/StoreOption/syncReadOnly``; the store's
    ///   errors.
    @discardableResult
    public func createZone(named name: String) async throws -> SyncZone {
        try services.client.options.requireWriting()
        try services.client.options.requireOwnZones("make zones", else: "accept a share with acceptShare(at:)")
        let zone = zone(named: name)
        guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy(\.isOfZoneName), zone.zoneName.utf8.count <= 255
        else {
            throw BackstitchError(
                .invalidRequest,
                "a zone cannot be named \"\(name)\": give it 1 to 100 letters, digits, hyphens or underscores of ASCII")
        }
        try await services.onWholeStore { try $0.makeZone(named: name) }
        driver.tell(.trigger(.localSave, ticket: nil))
        return zone
    }

    /// Deletes a zone with everything in it: on the server, here, and on the user's other devices, which learn of it
    /// with their next sync. What they have not sent by then goes with it, and is listed among the conflicts of their
    /// summary (the option ``Backstitch/StoreOption/syncResetPolicy`` may decide otherwise).
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for the main zone (see ``eraseCloud()``), for one that the
    ///   store does not have, for one of somebody else (see ``leaveShare(ofZoneNamed:)``), and for one that objects
    ///   are about to leave (see ``move(_:toZoneNamed:)``);
    ///   ``BackstitchError/Code/readOnly`` under the option ``Backstitch/StoreOption/syncReadOnly``. Nothing has
    ///   changed then. Else a ``BackstitchError`` when the server cannot be asked: the zone may be gone there, and can
    ///   be deleted again.
    public func deleteZone(named name: String) async throws {
        try services.client.options.requireWriting()
        try services.client.options.requireOwnZones("delete zones", else: "leave a share with leaveShare(ofZoneNamed:)")
        try await requireNothingLeaves(zoneNamed: name)
        _ = try await leaveZone(named: name)
    }

    /// - Throws: ``BackstitchError/Code/invalidRequest`` where objects of the zone are to move to another one, and are
    ///   not there yet.
    private func requireNothingLeaves(zoneNamed name: String) async throws {
        let count = try await services.onWholeStore { store in
            try store.readJournal { journal in
                let zone = try journal.zones().first { $0.value == name }?.key
                return try journal.countLeaving(zone)
            }
        }
        guard count > 0 else { return }
        throw BackstitchError(
            .invalidRequest,
            "\(count) objects of the zone \"\(name)\" are to move to another one, and would go with it; sync first")
    }

    /// Deletes one of the store's further zones, or leaves it where it is somebody else's, and forgets it here.
    ///
    /// - Returns: The objects that are gone, and the changes that were not sent.
    func leaveZone(named name: String) async throws -> AppliedChanges {
        let zone = try await services(ofFurtherZoneNamed: name)
        do {
            try await zone.client.deleteZone()
            let dropped = try await zone.dropZone(isAsked: true)
            if dropped.hasUnsent { driver.tell(.trigger(.localSave, ticket: nil)) }
            return dropped
        } catch { throw SyncFailure(any: error).error }
    }

    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the store has no such zone beside its main one.
    func services(ofFurtherZoneNamed name: String) async throws -> SyncServices {
        let zones = try await services.onWholeStore { try $0.readJournal { try $0.zones() } }
        if let number = zones.first(where: { $0.value == name })?.key {
            return services.services(of: number, named: name)
        }
        let known = zones.values.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        throw BackstitchError(
            .invalidRequest,
            "the store has no further zone \"\(name)\"; it has " + (known.isEmpty ? "none" : "\(known)"))
    }

    var hasMainZone: Bool { services.client.options.database.hasMainZone }

    private var mainZone: SyncZone { SyncZone(name: "", zoneName: services.settings.zone) }

    /// The zone that the program knows by a name; the main one where that is empty.
    func zone(named name: String) -> SyncZone {
        if name.isEmpty { return mainZone }
        let zone = services.client.names.onServer(name)
        return SyncZone(name: name, zoneName: zone.zoneName, ownerName: zone.ownerRecordName)
    }
}

extension UInt8 {
    /// Whether names of zones may have the character. A dot stands between them and the name of the main zone.
    fileprivate var isOfZoneName: Bool {
        switch self {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
