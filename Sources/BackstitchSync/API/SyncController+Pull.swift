public import Backstitch
import BackstitchSupport
import CloudWire

extension SyncController {
    /// Reads some objects from the server again, now, without reading other changes.
    ///
    /// ```swift
    /// try await sync.pull([list.objectID], withDescendants: true)     // before it is shown
    /// ```
    /// The server's version replaces the one here, even if that is damaged. An object that this device does not have is
    /// created, if it is in the main zone. An object whose record is gone is deleted. Objects with unsent changes are
    /// left for the next sync, which merges them. The next sync also downloads the bytes of assets, and settles unique
    /// values of two objects.
    ///
    /// - Parameter ids: The objects to read.
    /// - Parameter withDescendants: Whether their children, as far as they are known here, are read as well, at all
    ///   levels (``EntityDescription/parent(_:)``).
    /// - Returns: The changes of this store.
    /// - Throws: A ``BackstitchError`` when the server cannot be asked. Objects that were read before it stay.
    /// - Complexity: One request for each 200 objects.
    @discardableResult
    public func pull(_ ids: [ObjectID], withDescendants: Bool = false) async throws -> StoreChanges {
        let wanted = try await services.onWholeStore { [model = services.settings.model] store in
            try store.readJournal { journal in
                let ids = withDescendants ? try journal.withDescendants(ids, model) : Array(Set(ids)).sorted()
                return try journal.recordNames(of: ids)
            }
        }
        var changes = StoreChanges()
        for (services, wanted) in try await services.services(ofZonesOf: wanted, by: \.id) {
            changes.merge(try await services.takeRecords(of: wanted) { try $0.takeAnew(from: $2, $3) })
        }
        return changes
    }

    /// Reads all objects of an entity and of its subentities from the server again, without reading other changes. It
    /// does with each of them, in all zones, as ``pull(_:withDescendants:)`` does.
    ///
    /// If the server requires indexes, the record type must be queryable: an index on `recordName`, and one on
    /// `modifiedTimestamp` for sorting.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for an entity that the store does not sync, and in a store of
    ///   the public database, which only reads followed queries (``SyncFollowing/start(_:)``). Otherwise as
    ///   ``pull(_:withDescendants:)``.
    @discardableResult
    public func pull(entityName: String) async throws -> StoreChanges {
        let model = services.settings.model
        guard services.client.options.database != .public else {
            throw BackstitchError(
                .invalidRequest,
                "all objects of \(entityName) in the public database belong to all users; follow only those that "
                    + "you need, with sync.following.start(_:)", key: entityName)
        }
        guard let entity = model.entity(named: entityName) else {
            throw BackstitchError(
                .invalidRequest, "the synced store has no entity \"\(entityName)\"", key: entityName)
        }
        var changes = StoreChanges()
        for services in try await services.allZones() {
            for name in [entityName] + entity.entity.subentityNames {
                guard let entity = model.entity(named: name), !entity.entity.isAbstract else { continue }
                changes.merge(try await services.takeAll(of: entity))
            }
        }
        return changes
    }
}

extension SyncServices {
    /// Returns the services of each zone, the main one first.
    fileprivate func allZones() async throws -> [SyncServices] {
        let zones = try await onWholeStore { try $0.readJournal { try $0.zones() } }
        let further = zones.sorted { $0.key < $1.key }.map { services(of: $0.key, named: $0.value) }
        return client.options.database.hasMainZone ? [self] + further : further
    }

    /// Takes all records of an entity, and asks for those that the query did not return.
    fileprivate func takeAll(of entity: SyncedEntity) async throws -> StoreChanges {
        let query = RecordQuery(recordType: entity.wireName)
        var changes = StoreChanges(), met: Set<ObjectKey> = []
        var marker: String?
        repeat {
            let page: (changes: StoreChanges, keys: [ObjectKey], marker: String?)
            do {
                page = try await takePage(of: query, after: marker)
            } catch let failure as SyncFailure where failure.kind == .zoneNotFound && marker == nil {
                return changes  // The zone has not been created yet.
            } catch let error as CancellationError { throw error } catch { throw SyncFailure(any: error).error }
            changes.merge(page.changes)
            met.formUnion(page.keys)
            marker = page.marker
        } while marker != nil
        let rest = try await onStore { [met] store in
            try store.readJournal { journal in
                let keys = try journal.allKeys(of: entity.entity).filter { !met.contains($0) }
                return try keys.parts(of: 1_000).flatMap { part in
                    try journal.recordStates(for: Array(part)).values.filter { $0.changeTag != nil }
                        .map { (id: $0.objectID, name: $0.recordName) }
                }
            }
        }
        changes.merge(try await takeRecords(of: rest) { try $0.takeAnew(from: $2, $3) })
        return changes
    }

    private func takePage(
        of query: RecordQuery, after marker: String?
    ) async throws -> (changes: StoreChanges, keys: [ObjectKey], marker: String?) {
        let zone = settings.zone
        var next: String?, keys: [ObjectKey] = []
        let changes = try await take {
            let page = try await client.records(of: query, since: nil, after: marker)
            let news = page.records.map { RemoteChange($0, zone: zone) }
            (next, keys) = (page.marker, news.map(\.key))
            return news
        } by: {
            try $0.takeAnew(from: $1, $2)
        }
        return (changes, keys, next)
    }
}

extension JournalReading {
    /// Returns the objects and all their descendants, including objects that are not here.
    fileprivate func withDescendants(_ ids: [ObjectID], _ model: SyncedModel) throws -> [ObjectID] {
        var known = Set(ids), next = ids
        while !next.isEmpty {
            next = try children(of: next.map(\.key), model).filter { known.insert($0).inserted }
        }
        return known.sorted()
    }

    fileprivate func recordNames(of ids: [ObjectID]) throws -> [(id: ObjectID, name: String)] {
        let states = try recordStates(for: ids.map(\.key))
        return ids.map { (id: $0, name: states[$0.key]?.recordName ?? $0.key.uuidString) }
    }
}

extension JournalWriting {
    /// Takes records from the server, except those of objects with unsent changes. A missing record means a deletion
    /// only if the server is known to have had it: otherwise an insert may be under way.
    fileprivate func takeAnew(from news: [RemoteChange], _ settings: ApplySettings) throws -> StoreChanges {
        let keys = news.map(\.key)
        let entries = try outbox(for: keys), states = try recordStates(for: keys), away = try awayKeys()
        var applier = try RemoteChangeApplier(journal: self, settings: settings)
        applier.knownTags = { _ in .compare }
        return try applier.apply(
            news.filter { item in
                guard entries[item.key] == nil, !away.contains(item.key) else { return false }
                return item.record != nil || states[item.key]?.changeTag != nil
            }
        ).changes
    }
}
