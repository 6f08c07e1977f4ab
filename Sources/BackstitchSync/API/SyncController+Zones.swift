public import Backstitch

/// A zone of a synced store: objects that are sent, read and, later, shared together.
public struct SyncZone: Sendable, Hashable {
    /// The name that the program has given it; empty for the main zone.
    public var name: String
    /// The name of the zone on the server.
    public var zoneName: String
    /// Whether it is the main zone, which every store has.
    public var isMain: Bool { name.isEmpty }

    /// A zone of a name in the program, and on the server.
    public init(name: String, zoneName: String) { (self.name, self.zoneName) = (name, zoneName) }
}

extension SyncController {
    /// The store's zones: the main one first, then the others in order of their names.
    public func zones() async throws -> [SyncZone] {
        let names = try await services.onWholeStore { try $0.readJournal { try $0.zones().values.sorted() } }
        return [mainZone] + names.map(zone(named:))
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
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for another name, ``BackstitchError/Code/readOnly`` under the
    ///   option ``Backstitch/StoreOption/syncReadOnly``; the store's errors.
    @discardableResult
    public func createZone(named name: String) async throws -> SyncZone {
        try services.client.options.requireWriting()
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
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for the main zone (see ``eraseCloud()``) and for one that the
    ///   store does not have; ``BackstitchError/Code/readOnly`` under the option
    ///   ``Backstitch/StoreOption/syncReadOnly``. Nothing has changed then. Else a ``BackstitchError`` when the server
    ///   cannot be asked: the zone may be gone there, and can be deleted again.
    public func deleteZone(named name: String) async throws {
        try services.client.options.requireWriting()
        let zones = try await services.onWholeStore { try $0.readJournal { try $0.zones() } }
        guard let number = zones.first(where: { $0.value == name })?.key else {
            let known = zones.values.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
            throw BackstitchError(
                .invalidRequest,
                "the store has no zone \"\(name)\" that could be deleted; it has "
                    + (known.isEmpty ? "only its main one" : known))
        }
        let zone = services.services(of: number, named: name)
        do {
            try await zone.client.deleteZone()
            _ = try await zone.dropZone(isAsked: true)
        } catch { throw SyncFailure(any: error).error }
    }

    private var mainZone: SyncZone { SyncZone(name: "", zoneName: services.settings.zone) }

    private func zone(named name: String) -> SyncZone {
        SyncZone(name: name, zoneName: ZoneNames(main: services.settings.zone).onServer(name))
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
