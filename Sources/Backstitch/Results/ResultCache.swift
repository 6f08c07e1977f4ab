import BackstitchSupport
import Foundation

/// The results of controllers, by cache name, for the next controller with the same question.
final class ResultCache: Sendable {
    /// The question that the results answer. Another question under the same name replaces the first.
    struct Question: Sendable, Hashable {
        let entityName: String
        let predicate: FetchPredicate?
        let sortDescriptors: [FetchSortDescriptor]
        let limit: Int?
        let offset: Int
        let includesSubentities: Bool
        let stores: Set<UUID>?
        let sectionNameKeyPath: String?

        init(_ request: StoreFetchRequest, sectionNameKeyPath: String?) {
            entityName = request.entity.name
            predicate = request.predicate
            sortDescriptors = request.sortDescriptors
            limit = request.limit
            offset = request.offset
            includesSubentities = request.includesSubentities
            stores = request.affectedStores
            self.sectionNameKeyPath = sectionNameKeyPath
        }
    }

    /// A result without its object.
    struct Row: Sendable {
        let id: ObjectID
        let section: String
        let sortValues: [Value]
    }

    private struct Entry {
        let question: Question
        let generation: Int
        let rows: [Row]
    }

    private let entries = Locked<[String: Entry]>([:])

    /// Returns the rows under a cache name, if they answer the question and the stores have not changed since.
    /// `generation` is the row cache's generation.
    func rows(named name: String, _ question: Question, at generation: Int) -> [Row]? {
        entries.withLock { entries in
            guard let entry = entries[name], entry.generation == generation, entry.question == question else {
                return nil
            }
            return entry.rows
        }
    }

    /// Keeps rows that were fetched at this generation of the row cache, or later.
    func keep(_ rows: [Row], named name: String, _ question: Question, at generation: Int) {
        entries.withLock { $0[name] = Entry(question: question, generation: generation, rows: rows) }
    }

    func remove(_ name: String?) {
        entries.withLock { entries in
            if let name { entries[name] = nil } else { entries = [:] }
        }
    }
}

extension PersistentStoreCoordinator {
    /// Drops the results that controllers keep under a cache name; without a name, all of them.
    public func deleteCache(withName name: String? = nil) { results.remove(name) }
}

extension FetchedResultsController {
    /// Returns the results of an earlier controller, as faults; nil when they are to be fetched.
    func cachedRows(_ order: ResultOrder<Object>) throws -> [ResultRow<Object>]? {
        guard let cacheName, canShareResults else { return nil }
        try context.prepareRequest()
        let rows = context.coordinator.results.rows(
            named: cacheName, try question(), at: context.coordinator.cache.generation)
        return try rows?.map { row in
            ResultRow(
                object: try context.cast(context.fault(for: row.id)), section: row.section, sortValues: row.sortValues)
        }
    }

    /// Fetches, and keeps the results for the next controller.
    func fetchedRows(_ order: ResultOrder<Object>) throws -> [ResultRow<Object>] {
        let generation = context.coordinator.cache.generation
        fetchCount += 1
        let rows = try order.rows(of: context.fetch(fetchRequest), in: context)
        if let cacheName, canShareResults {
            let kept = rows.map {
                ResultCache.Row(id: $0.object.objectID, section: $0.section, sortValues: $0.sortValues)
            }
            context.coordinator.results.keep(kept, named: cacheName, try question(), at: generation)
        }
        return rows
    }

    /// Whether the context sees exactly the present content of the stores.
    private var canShareResults: Bool {
        context.parent == nil && context.generation == nil && !context.hasChanges
            && context.automaticallyMergesChangesFromParent
    }

    private func question() throws -> ResultCache.Question {
        ResultCache.Question(try context.resolve(fetchRequest), sectionNameKeyPath: sectionNameKeyPath)
    }
}
