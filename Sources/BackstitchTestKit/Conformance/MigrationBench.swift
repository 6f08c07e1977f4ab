import Backstitch
import Foundation

/// A store opened with one model after another.
///
/// For the store, each opening is like a new process: it is closed before the next one, even after a failure.
struct MigrationBench {
    /// The place and the clock of the store.
    let bench: TestBench
    /// The migration stages for opening the store.
    var stages: [MigrationStage] = []

    /// The same bench with other stages.
    func with(_ stages: [MigrationStage]) -> MigrationBench { MigrationBench(bench: bench, stages: stages) }

    /// Opens the store with `model`, runs `work` in a context, saves, and closes it.
    @discardableResult
    func open<Result: Sendable>(
        _ model: ManagedObjectModel, options: [StoreOption: any Sendable] = [:],
        _ work: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        let container = try PersistentContainer(model: model, store: description(options), clock: bench.clock)
        do {
            let result = try await container.perform { context in
                let result = try work(context)
                try context.save()
                return result
            }
            try container.close()
            return result
        } catch {
            try container.close()
            throw error
        }
    }

    /// Opens the store with `model`, which must fail with this code, and returns the error.
    func refusal(
        _ model: ManagedObjectModel, _ code: BackstitchError.Code, options: [StoreOption: any Sendable] = [:]
    ) throws -> BackstitchError {
        try expectError(code) {
            try PersistentContainer(model: model, store: description(options), clock: bench.clock).close()
        }
    }

    /// The plan for opening the store with `model`; nil when there is nothing to do.
    func plan(_ model: ManagedObjectModel) throws -> MigrationPlan? {
        try PersistentStoreCoordinator.migrationPlan(model: model, store: description([:]))
    }

    /// The store's description with further options, and the stages.
    func description(_ options: [StoreOption: any Sendable]) -> PersistentStoreDescription {
        var description = bench.store.describe(bench.folder)
        description.options.merge(options) { $1 }
        description.migrationStages = stages
        return description
    }
}

extension ConformanceCase {
    /// A case about stores that outlive their container.
    static func migration(
        _ name: String, _ body: @escaping @Sendable (MigrationBench) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: .migration) { bench in
            guard bench.store.isDurable else { return }
            try await body(MigrationBench(bench: bench))
        }
    }
}

extension ManagedObjectContext {
    /// Makes an object with these values.
    @discardableResult
    func make(_ entity: String, _ values: [String: Value] = [:]) throws -> ManagedObject {
        let object = try insertObject(entityName: entity)
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }

    /// All objects of an entity, in the order of their creation.
    func all(_ entity: String) throws -> [ManagedObject] {
        try fetch(FetchRequest<ManagedObject>(entityName: entity))
    }
}
