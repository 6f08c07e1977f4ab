public import Backstitch
import CloudWire

/// The zones of a store, and the zones of its objects.
public struct SyncZones: Sendable, SyncSubject {
    let sync: SyncController

    /// Returns the store's zones: the main one first, then the others in order of their names. A store of the shared
    /// database has only the zones that other users share.
    public func all() async throws -> [SyncZone] {
        let names = try await services.onWholeStore { try $0.readJournal { try $0.zones().values.sorted() } }
        return (hasMainZone ? [mainZone] : []) + names.map(zone(named:))
    }

    /// Returns the zone of an object. The main zone is returned for an object that is in no store, or is not synced.
    public func zone(of id: ObjectID) async throws -> SyncZone {
        let name = try await services.onWholeStore { store in
            try store.readJournal { journal in
                try journal.zones(of: [id.key])[id.key].flatMap { try journal.zones()[$0] }
            }
        }
        return name.map(zone(named:)) ?? mainZone
    }

    /// Creates a zone for new objects. No network is needed now: the next sync creates the zone on the server and on
    /// the user's other devices.
    ///
    /// ```swift
    /// let club = try await sync.zones.create(named: "Club")
    /// try await container.perform { context in
    ///     let list = ShoppingList(context: context)
    ///     try context.assign(list, toZone: club.name)
    ///     Item(context: context).list = list      // goes along, where the model says .parent("list")
    ///     try context.save()
    /// }
    /// ```
    /// Devices that create a zone of the same name share one zone. A zone that already exists is returned.
    ///
    /// - Parameter name: 1 to 100 letters, digits, hyphens or underscores of ASCII. The name on the server is the name
    ///   of the main zone, a dot, and this name.
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for another name, and in a store of the shared database;
    ///   ``BackstitchError/Code/readOnly`` under the option ``Backstitch/StoreOption/syncReadOnly``; the store's
    ///   errors.
    @discardableResult
    public func create(named name: String) async throws -> SyncZone {
        try services.client.options.requireWriting()
        try services.client.options.requireOwnZones("make zones", else: "accept a share with sync.sharing.accept(at:)")
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

    /// Deletes a zone with all its objects: on the server, here, and with their next sync on the user's other devices.
    /// Changes that those devices have not sent by then are lost. They are listed among the conflicts of their summary.
    /// The option ``Backstitch/StoreOption/syncResetPolicy`` may decide otherwise.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for the main zone (see ``SyncController/eraseCloud()``), an
    ///   unknown zone, another user's zone (see ``SyncSharing/leave(zoneNamed:)``), and a zone that objects are leaving
    ///   (see ``move(_:to:)``); ``BackstitchError/Code/readOnly`` under the option
    ///   ``Backstitch/StoreOption/syncReadOnly``. Nothing has changed then. Otherwise a ``BackstitchError`` when the
    ///   server cannot be asked: the zone may already be deleted there, and can be deleted again.
    public func delete(named name: String) async throws {
        try services.client.options.requireWriting()
        try services.client.options.requireOwnZones(
            "delete zones", else: "leave a share with sync.sharing.leave(zoneNamed:)")
        try await requireNothingLeaves(zoneNamed: name)
        _ = try await leave(named: name)
    }

    /// - Throws: ``BackstitchError/Code/invalidRequest`` while objects of the zone are moving to another one.
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
            "\(count) objects of the zone \"\(name)\" wait to move to another zone, and would be deleted with "
                + "this one; sync first")
    }

    /// Deletes one of the store's further zones, or leaves it if it belongs to another user, and forgets it here.
    ///
    /// - Returns: The deleted objects, and the changes that were not sent.
    func leave(named name: String) async throws -> AppliedChanges {
        let zone = try await services(ofFurtherZoneNamed: name)
        do {
            try await zone.client.deleteZone()
            let dropped = try await zone.dropZone(isAsked: true)
            if dropped.hasUnsent { driver.tell(.trigger(.localSave, ticket: nil)) }
            return dropped
        } catch { throw SyncFailure(any: error).error }
    }

    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the store has no zone of this name.
    func services(ofZoneNamed name: String) async throws -> SyncServices {
        name.isEmpty && hasMainZone ? services : try await services(ofFurtherZoneNamed: name)
    }

    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the store has no further zone of this name.
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

    /// The names of the objects' zones, as far as the store has the objects; empty for the main zone.
    func names(of ids: [ObjectID]) async throws -> [ObjectID: String] {
        try await services.onWholeStore { [model = services.settings.model] store in
            try store.readJournal { journal in
                let names = try journal.zones(), zones = try journal.zones(of: ids.map(\.key))
                var found: [ObjectID: String] = [:]
                for (name, ids) in Dictionary(grouping: ids, by: \.entityName) {
                    guard let entity = model.entity(named: name)?.entity else { continue }
                    let held = Set(try journal.rows(of: entity, keys: ids.map(\.key).sorted()).keys)
                    for id in ids where held.contains(id.key) { found[id] = zones[id.key].flatMap { names[$0] } ?? "" }
                }
                return found
            }
        }
    }

    private var mainZone: SyncZone { SyncZone(name: "", zoneName: services.settings.zone) }

    /// Returns the zone with this name in the program; the main one if the name is empty.
    func zone(named name: String) -> SyncZone {
        if name.isEmpty { return mainZone }
        let zone = services.client.names.onServer(name)
        return SyncZone(name: name, zoneName: zone.zoneName, ownerName: zone.ownerRecordName)
    }
}

extension UInt8 {
    /// Whether names of zones may have the character. A dot is not allowed: it separates them from the main zone's
    /// name.
    fileprivate var isOfZoneName: Bool {
        switch self {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
