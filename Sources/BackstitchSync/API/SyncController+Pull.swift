public import Backstitch
import BackstitchSupport
import CloudWire

extension SyncController {
    /// Reads some objects anew from the server, now, without reading what else has changed.
    ///
    /// ```swift
    /// try await sync.pull([list.objectID], withDescendants: true)     // before it is shown
    /// ```
    /// The server's version takes the place of the one here, also where that is damaged; an object that this device
    /// does not have yet comes, if it is in the main zone; one whose record is gone goes. Objects with unsent changes
    /// are left for the next sync, which merges. That one also brings the bytes of assets, and settles unique values
    /// that two objects have.
    ///
    /// - Parameters:
    ///   - ids: The objects.
    ///   - withDescendants: Whether what hangs on them, as far as it is known here, is read as well
    ///     (``EntityDescription/parent(_:)``).
    /// - Returns: The changes of this store.
    /// - Throws: A ``BackstitchError`` when the server cannot be asked. What was read before it stays.
    /// - Complexity: A request for 200 objects.
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

    /// Reads all objects of an entity anew from the server, those of its subentities too, without reading what else
    /// has changed: as ``pull(_:withDescendants:)`` does with each of them, in all zones.
    ///
    /// Needs the record type to be queryable on a server that asks for indexes: its `recordName`, and
    /// `modifiedTimestamp` to sort by.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` for an entity that the store does not sync, and in a store of
    ///   the public database, which is asked for what it follows (``follow(_:)``); else as
    ///   ``pull(_:withDescendants:)``.
    @discardableResult
    public func pull(entityName: String) async throws -> StoreChanges {
        let model = services.settings.model
        guard services.client.options.database != .public else {
            throw BackstitchError(
                .invalidRequest,
                "all objects of \(entityName) in the public database are everybody's; follow those that are wanted, "
                    + "with sync.follow(_:)", key: entityName)
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
    /// The services of each zone, the main one first.
    fileprivate func allZones() async throws -> [SyncServices] {
        let zones = try await onWholeStore { try $0.readJournal { try $0.zones() } }
        let further = zones.sorted { $0.key < $1.key }.map { services(of: $0.key, named: $0.value) }
        return client.options.database.hasMainZone ? [self] + further : further
    }

    /// Takes all records of an entity, and looks for those that the server did not name.
    fileprivate func takeAll(of entity: SyncedEntity) async throws -> StoreChanges {
        let query = RecordQuery(recordType: entity.wireName)
        var changes = StoreChanges(), met: Set<ObjectKey> = []
        var marker: String?
        repeat {
            let page: (changes: StoreChanges, keys: [ObjectKey], marker: String?)
            do {
                page = try await takePage(of: query, after: marker)
            } catch let failure as SyncFailure where failure.kind == .zoneNotFound && marker == nil {
                return changes  // Nobody has made it yet.
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
    /// The objects and what hangs on them; those that are not here among them.
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
    /// Takes records as the server has them, but for those of objects with unsent changes. A missing record is news of
    /// an object only that the server is known to have had: an insert may be on its way.
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
