import Backstitch
import Foundation

/// A store as a coordinator uses it, without contexts: requests go in, rows come out.
struct StoreBench {
    /// The store, or the layers above it that the coordinator has put there.
    let store: any PersistentStore
    /// Its model, whose entities requests name.
    let model: ResolvedModel
    /// Makes keys that rise, so that the order of making is the order of fetches.
    let generator: ObjectIDGenerator
    /// The store's clock, which a case moves.
    let clock: VirtualClock

    /// The entity of this name, which must be in the model.
    func entity(_ name: String) throws -> ResolvedEntity { try model.requireEntity(named: name) }

    /// A property of the entity, which must be in the model.
    func property(_ name: String, of entity: String) throws -> ResolvedProperty {
        try self.entity(entity).requireProperty(named: name)
    }

    /// New keys, rising.
    func keys(_ count: Int) -> [ObjectKey] { (0..<count).map { _ in generator.next() } }

    /// Rows of an entity; columns that are not given are null.
    func rows(_ entity: String, _ rows: [(ObjectKey, [String: Value])], version: Int64 = 1) throws -> RowBatch {
        let entity = try self.entity(entity)
        var builder = RowBatchBuilder(entity: entity, capacity: rows.count)
        for (key, values) in rows {
            builder.beginRow(key: key, version: version)
            for column in entity.columns { builder.append(values[column.name] ?? .null) }
        }
        return builder.finish()
    }

    /// One row of an entity; columns that are not given are null.
    func rows(_ entity: String, _ key: ObjectKey, _ values: [String: Value] = [:], version: Int64 = 1) throws
        -> RowBatch
    { try rows(entity, [(key, values)], version: version) }

    /// An update of stored rows, as a context would make it.
    func update(_ originals: RowBatch, _ change: (Int) -> [String: Value]) -> RowUpdate {
        var builder = RowBatchBuilder(entity: originals.entity)
        var changed: [PropertySet] = []
        for row in 0..<originals.count {
            let values = change(row)
            builder.beginRow(key: originals.keys[row], version: originals.versions[row])
            var slots = PropertySet()
            for column in originals.entity.columns {
                if values[column.name] != nil { slots.insert(column.slot) }
                builder.append(values[column.name] ?? originals.value(row, column.slot))
            }
            changed.append(slots)
        }
        return RowUpdate(rows: builder.finish(), originals: originals, changed: changed)
    }

    /// A change of links, as the side that owns them sees it.
    func links(
        _ property: String, of entity: String, added: [(ObjectKey, ObjectKey)] = [],
        removed: [(ObjectKey, ObjectKey)] = []
    ) throws -> LinkChange {
        LinkChange(
            entity: try self.entity(entity), property: try self.property(property, of: entity),
            added: added.map { .init(source: $0.0, target: $0.1) },
            removed: removed.map { .init(source: $0.0, target: $0.1) })
    }

    /// Saves what `fill` puts into a request.
    @discardableResult
    func save(author: String? = nil, _ fill: (inout SaveChangesRequest) throws -> Void) throws -> SaveResult {
        var request = SaveChangesRequest(author: author)
        try fill(&request)
        return try store.save(request)
    }

    /// Every row of an entity, in the order of keys.
    func all(_ entity: String) throws -> RowBatch { try store.fetch(StoreFetchRequest(entity: self.entity(entity))) }

    /// The values of a column, by key.
    func values(_ name: String, of entity: String) throws -> [ObjectKey: Value] {
        let rows = try all(entity), slot = try property(name, of: entity).slot
        return Dictionary(uniqueKeysWithValues: (0..<rows.count).map { (rows.keys[$0], rows.value($0, slot)) })
    }
}

/// A change of an object, as history tells it.
struct ToldChange: Hashable {
    /// The object's key.
    let key: ObjectKey
    /// Whether it came, changed or went.
    let kind: PersistentHistoryChange.Kind
    /// The names of the properties that an update changed.
    var properties: Set<String> = []
}

extension JournalingStore {
    /// History's transactions, oldest first.
    func transactions(after number: Int64 = 0) throws -> [PersistentHistoryTransaction] {
        try readJournal { try $0.history(after: number, limit: 100_000) }
    }

    /// The changes after a transaction, in the order in which history has them.
    func told(after number: Int64 = 0) throws -> [ToldChange] {
        try transactions(after: number).flatMap(\.changes).map {
            ToldChange(key: $0.objectID.key, kind: $0.kind, properties: $0.updatedProperties)
        }
    }

    /// The unsent changes of one object; nil when there are none.
    func outboxEntry(_ key: ObjectKey) throws -> OutboxEntry? { try readJournal { try $0.outbox(for: [key])[key] } }

    /// The number of the newest transaction; 0 before the first.
    func lastNumber() throws -> Int64 { try readJournal { try $0.lastTransactionNumber() } }
}

extension ConformanceCase {
    /// A case about the requests that a coordinator makes of the store below it.
    ///
    /// Runs on a thread of its own, for stores block.
    static func requests(
        _ name: String, _ body: @escaping @Sendable (StoreBench) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name) { bench in
            let container = try bench.container()
            let coordinator = container.coordinator
            try await onThread {
                try body(
                    StoreBench(
                        store: coordinator.store, model: coordinator.model, generator: coordinator.generator,
                        clock: bench.clock))
            }
            try container.close()
        }
    }

    /// A case about the journal of a store that keeps an outbox, as below a synced store.
    ///
    /// It opens the store's type itself, as a synced store does with what it wraps. Types that keep no journal of their
    /// own, the synced store among them, have nothing to show.
    static func journal(
        _ name: String, _ body: @escaping @Sendable (StoreBench, any JournalingStore) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: .history) { bench in
            try await onThread {
                let migration = MigrationBench(bench: bench)
                let type = try StoreRegistry.type(named: migration.description([:]).type.rawValue)
                guard let type = type as? any JournalingStore.Type else { return }
                let generator = ObjectIDGenerator(clock: bench.clock, random: SeededGenerator(seed: 7))
                try migration.journal(type, .journal) { store, model in
                    try body(StoreBench(store: store, model: model, generator: generator, clock: bench.clock), store)
                }
            }
        }
    }
}
