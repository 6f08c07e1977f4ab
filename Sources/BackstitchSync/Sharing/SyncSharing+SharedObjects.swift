public import Backstitch
import CloudWire

// Single objects, shared in place.
extension SyncSharing {
    /// Shares an object with others in place, with everything below it; see ``Backstitch/PersistentContainer``'s
    /// `shareInPlace`, which finds the store.
    ///
    /// - Throws: As there, and ``BackstitchError/Code/invalidRequest`` in a store of the shared database.
    @discardableResult
    public func shareInPlace(
        _ root: ObjectID, title: String? = nil, publicPermission: Share.Permission = .none,
        participants: [Share.Participant] = []
    ) async throws -> Share {
        try services.client.options.requireWriting()
        try services.client.options.requireOwnZones("share objects", else: "ask the owner to invite others")
        try await refuseEncrypted(root)
        let name = try await sentName(of: root)
        let place = try await sync.zones.zone(of: root).name
        let zone = try await sync.zones.services(ofZoneNamed: place)
        guard try await !zone.onStore({ try $0.readJournal { try $0.has(.share) } }) else {
            throw BackstitchError(
                .invalidRequest,
                "\(root) is shared with \(place.isEmpty ? "the main zone" : "the zone \"\(place)\""), which is shared as a "
                    + "whole; invite others to that share", objectID: root)
        }
        let share = Self.shareName(of: root)
        let record = Share.new(
            of: (name, share), title: title, publicPermission: publicPermission, participants: participants)
        let made = try await taking(place, zone, share) {
            try await zone.client.share(recordNamed: name, by: record)
        }
        try await zone.takeVersion(of: root, named: name)
        return made
    }

    /// Refuses an encrypted object if keys belong to zones: a guest of a single object could not get the key of its
    /// zone.
    private func refuseEncrypted(_ root: ObjectID) async throws {
        guard services.client.options.shareIdentity != nil else { return }
        let model = services.settings.model
        let family = try await services.onWholeStore { store in
            try store.readJournal { try ObjectFamily(of: [root], in: $0, model).members }
        }
        guard let id = family.first(where: { model.entity(named: $0.entityName)?.hasEncryption ?? false }) else {
            return
        }
        throw BackstitchError(
            .invalidRequest,
            "\(id) has encrypted attributes, which no participant could read: with syncShareIdentity, keys are "
                + "shared with whole zones only; share \(root) in a zone of its own, with share(_:)", objectID: id)
    }

    /// The share of a single object, as the server has it now. Nil if the object itself is not shared, even if its zone
    /// or an object above it is.
    ///
    /// - Throws: ``BackstitchError/Code/objectNotFound`` if the store does not have the object; a ``BackstitchError``
    ///   if the server cannot be reached.
    public func share(ofObject id: ObjectID) async throws -> Share? {
        guard let place = try await sync.zones.names(of: [id])[id] else { throw Self.isNotHere(id) }
        let known = try await shares().first { $0.root == id }
        return try await share(named: known?.recordName ?? Self.shareName(of: id), inZoneNamed: place, root: id)
    }

    /// The name of an object's share. It contains the object's key, so two devices that share the same object make one
    /// share.
    private static func shareName(of root: ObjectID) -> String { "Share-\(root.key.uuidString)" }

    private static func isNotHere(_ id: ObjectID) -> BackstitchError {
        BackstitchError(
            .objectNotFound, "\(id) is in no synced store of this container, so it cannot be shared; save it first",
            objectID: id)
    }

    /// The name of an object's record on the server, after a sync if one is needed.
    private func sentName(of id: ObjectID) async throws -> String {
        guard try await sync.zones.names(of: [id])[id] != nil else { throw Self.isNotHere(id) }
        if let name = try await knownName(of: id) { return name }
        try await sync.sync()
        if let name = try await knownName(of: id) { return name }
        throw BackstitchError(
            .invalidRequest,
            "\(id) is not on the server, so it cannot be shared; the summary of a sync, and sync.blocked.changes(), tell why it "
                + "was not sent", objectID: id)
    }

    private func knownName(of id: ObjectID) async throws -> String? {
        try await services.onWholeStore { store in
            try store.readJournal { journal in
                let state = try journal.recordStates(for: [id.key])[id.key]
                return state?.changeTag == nil ? nil : state?.recordName
            }
        }
    }

    /// The shares of objects, as the last sync has left them: the share of the nearest object above each.
    func shares(ofObjects ids: [ObjectID]) async throws -> [ObjectID: Share] {
        let byZone = Dictionary(grouping: try await shares(), by: \.zone.name)
        guard !byZone.isEmpty else { return [:] }
        let places = try await sync.zones.names(of: ids)
        var found: [ObjectID: Share] = [:]
        for (id, zone) in places { found[id] = byZone[zone]?.first { $0.isOfZone } }
        let open = places.filter { found[$0.key] == nil && byZone[$0.value] != nil }.keys.sorted()
        guard !open.isEmpty else { return found }
        let chain = try await services.onWholeStore { [model = services.settings.model] store in
            try store.readJournal { journal in
                var chain = journal.parentChain(model)
                try chain.climb(from: open)
                return open.map { chain.way(up: $0.key) }
            }
        }
        for (id, way) in zip(open, chain) {
            let near = Dictionary(
                (byZone[places[id] ?? ""] ?? []).compactMap { share in share.root.map { ($0.key, share) } },
                uniquingKeysWith: { first, _ in first })
            found[id] = way.lazy.compactMap { near[$0] }.first
        }
        return found
    }
}

extension SyncServices {
    /// Takes the record's new version after the object was shared, or its share ended. Otherwise the next edit or
    /// deletion would meet a conflict. A deletion would even be weighed against this version, although no user has
    /// edited the object.
    func takeVersion(of root: ObjectID, named name: String) async throws {
        try await takeRecords(of: [(root, name)]) { journal, ids, news, settings in
            // An unsent change is merged with this version when it is sent.
            guard try journal.outbox(for: ids.map(\.key)).isEmpty else { return StoreChanges() }
            var applier = try RemoteChangeApplier(journal: journal, settings: settings)
            return try applier.apply(news.filter { $0.record != nil }).changes
        }
    }
}

extension JournalReading {
    /// Reads the objects above given objects.
    func parentChain(_ model: SyncedModel) -> ParentChain {
        ParentChain(model.model) { try self.rows(of: $0, keys: $1) }
    }
}
