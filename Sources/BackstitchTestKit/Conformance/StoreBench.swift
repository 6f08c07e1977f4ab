package import Backstitch

/// A store as a coordinator uses it, without contexts: requests go in, rows come out.
package struct StoreBench: RequestMaking {
    /// The store, with the coordinator's layers above it.
    package let store: any PersistentStore
    package let model: ResolvedModel
    package let generator: ObjectIDGenerator
    /// The store's clock, which a case moves.
    package let clock: VirtualClock

    /// A bench on an open store, with the model of that store.
    package init(
        store: any PersistentStore, model: ResolvedModel, generator: ObjectIDGenerator, clock: VirtualClock
    ) {
        (self.store, self.model, self.generator, self.clock) = (store, model, generator, clock)
    }

    /// Saves the request that `fill` has filled.
    @discardableResult
    package func save(
        author: String? = nil, _ fill: (inout SaveChangesRequest) throws -> Void
    ) throws -> SaveResult { try store.save(author: author, fill) }

    /// Every row of an entity, in the order of keys.
    package func all(_ entity: String) throws -> RowBatch { try store.all(self.entity(entity)) }

    /// The values of a column, by key.
    package func values(_ name: String, of entity: String) throws -> [ObjectKey: Value] {
        let rows = try all(entity), slot = try property(name, of: entity).slot
        return Dictionary(uniqueKeysWithValues: (0..<rows.count).map { (rows.keys[$0], rows.value($0, slot)) })
    }
}

extension JournalingStore {
    /// History's transactions, oldest first.
    func transactions(after number: Int64 = 0) throws -> [PersistentHistoryTransaction] {
        try readJournal { try $0.history(after: number, limit: 100_000) }
    }

    /// The changes after a transaction, in history's order.
    func told(after number: Int64 = 0) throws -> [ToldChange] {
        try transactions(after: number).flatMap(\.changes).map {
            ToldChange(key: $0.objectID.key, kind: $0.kind, properties: $0.updatedProperties)
        }
    }

    /// The unsent changes of one object; nil when there are none.
    package func outboxEntry(_ key: ObjectKey) throws -> OutboxEntry? {
        try readJournal { try $0.outbox(for: [key])[key] }
    }

    /// The number of the newest transaction; 0 before the first.
    func lastNumber() throws -> Int64 { try readJournal { try $0.lastTransactionNumber() } }
}

extension ConformanceCase {
    /// A case about the requests that a coordinator sends to its store.
    ///
    /// It runs on a separate thread, because stores block.
    static func requests(
        _ name: String, model: ManagedObjectModel = .journal, _ body: @escaping @Sendable (StoreBench) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name) { bench in
            let container = try bench.container(model)
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
    /// It opens the store's type itself, as a synced store does with the store that it wraps. It does nothing for types
    /// without a journal of their own, such as the synced store.
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
