public import Backstitch
import CloudWire

// Single objects that are shared where they are.
extension SyncController {
    /// Shares an object with others where it is, with all that hangs on it; see
    /// ``Backstitch/PersistentContainer``'s `shareInPlace`, which finds the store.
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
        let place = try await zone(of: root).name
        let zone = try await services(ofZoneNamed: place)
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

    /// Where the keys of what is shared are the zones', no guest of a single object could get one.
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
            "\(id) has encrypted attributes, and with syncShareIdentity keys are shared with whole zones only, so that nobody "
                + "could read it; share \(root) with a zone of its own, by share(_:)", objectID: id)
    }

    /// The share of a single object, as the server has it now; nil where it is not shared itself, in whatever zone or
    /// below whatever object that is shared it may be.
    ///
    /// - Throws: ``BackstitchError/Code/objectNotFound`` where the store does not have the object; a
    ///   ``BackstitchError`` when the server cannot be asked.
    public func share(ofObject id: ObjectID) async throws -> Share? {
        guard let place = try await zoneNames(of: [id])[id] else { throw Self.isNotHere(id) }
        let known = try await shares().first { $0.root == id }
        return try await share(named: known?.recordName ?? Self.shareName(of: id), inZoneNamed: place, root: id)
    }

    /// The name of an object's share, which tells whose it is, so that two devices that share one object make one.
    private static func shareName(of root: ObjectID) -> String { "Share-\(root.key.uuidString)" }

    private static func isNotHere(_ id: ObjectID) -> BackstitchError {
        BackstitchError(
            .objectNotFound, "\(id) is in no synced store of this container, so it cannot be shared; save it first",
            objectID: id)
    }

    /// The name of an object's record, which the server has, after a sync where it needs one.
    private func sentName(of id: ObjectID) async throws -> String {
        guard try await zoneNames(of: [id])[id] != nil else { throw Self.isNotHere(id) }
        if let name = try await knownName(of: id) { return name }
        try await sync()
        if let name = try await knownName(of: id) { return name }
        throw BackstitchError(
            .invalidRequest,
            "\(id) is not on the server, so it cannot be shared; the summary of a sync, and blockedChanges(), tell why it "
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

    /// The shares that objects are in, as the last sync has left them: the nearest above each.
    func shares(ofObjects ids: [ObjectID]) async throws -> [ObjectID: Share] {
        let byZone = Dictionary(grouping: try await shares(), by: \.zone.name)
        guard !byZone.isEmpty else { return [:] }
        let places = try await zoneNames(of: ids)
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
    /// Takes the version of an object's record that it has got as one that is shared, or is no more: else the next edit
    /// would meet a conflict, and so would a deletion, which then would be weighed against an edit that is none.
    func takeVersion(of root: ObjectID, named name: String) async throws {
        try await takeRecords(of: [(root, name)]) { journal, ids, news, settings in
            // An unsent change is merged with it when it is sent.
            guard try journal.outbox(for: ids.map(\.key)).isEmpty else { return StoreChanges() }
            var applier = try RemoteChangeApplier(journal: journal, settings: settings)
            return try applier.apply(news.filter { $0.record != nil }).changes
        }
    }
}

extension JournalReading {
    /// Reads what is above objects.
    func parentChain(_ model: SyncedModel) -> ParentChain {
        ParentChain(model.model) { try self.rows(of: $0, keys: $1) }
    }
}
