import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

/// A random query, asked in memory and of a store.
struct StoreQuery {
    let entity: ResolvedEntity
    let predicate: FetchPredicate
    let order: [FetchSortDescriptor]
    let limit: Int?
    let offset: Int
    let library: Library
    let store: any JournalingStore
    let database: TestedDatabase

    init(
        _ library: Library, _ store: any JournalingStore, _ database: TestedDatabase,
        _ predicates: inout RandomPredicates<SeededGenerator>
    ) {
        (self.library, self.store, self.database) = (library, store, database)
        let entities = library.model.entities
        entity = predicates.random.once(in: 2) ? entities[0] : predicates.random.pick(entities)
        predicate = predicates.predicate(entity)
        order = predicates.order(entity)
        limit = predicates.random.once(in: 3) ? predicates.random.pick([0, 1, 3, 10]) : nil
        offset = predicates.random.once(in: 4) ? predicates.random.pick([1, 5, 100]) : 0
    }

    /// How many objects it finds; nil, with an issue recorded, where the answers differ.
    func compare() throws -> Int? {
        do {
            let once = try predicate.resolved(for: entity, in: library.model)
            // Encoding and resolving again change nothing.
            let decoded = try JSONDecoder().decode(FetchPredicate.self, from: JSONEncoder().encode(once))
            #expect(decoded == once)
            let resolved = try decoded.resolved(for: entity, in: library.model)
            #expect(resolved == once)
            let order = try self.order.map { try $0.resolved(for: entity, in: library.model) }
            let matching = try (library.objects[entity.name] ?? []).filter { try resolved.evaluate($0) }
            let expected = try Array(
                order.sorted(matching).map(\.objectID.key).dropFirst(offset).prefix(limit ?? .max))
            let request = StoreFetchRequest(
                entity: entity, predicate: resolved, sortDescriptors: order, limit: limit, offset: offset)
            let stored = try store.fetchKeys(request)
            let count = try store.count(request)
            if stored == expected, count == expected.count { return expected.count }
            let statement = try FetchStatements(ModelStatements(library.model, dialect: database.dialect)).keys(request)
            Issue.record(
                """
                memory finds \(expected.count), \(database) \(stored.count) and counts \(count): \(entity.name) where \(predicate) \
                sorted by \(order.map { "\($0.keyPath) \($0.ascending)" }), limit \(String(describing: limit)), offset \(offset)
                \(statement.text)
                \(statement.parameters)
                only in memory: \(describe(Set(expected).subtracting(stored)))
                only in \(database): \(describe(Set(stored).subtracting(expected)))
                """)
            return nil
        } catch {
            Issue.record(error, "\(entity.name) where \(predicate)")
            return nil
        }
    }

    private func describe(_ keys: Set<ObjectKey>) -> String {
        let objects = (library.objects[entity.name] ?? []).filter { keys.contains($0.objectID.key) }
        let lines: [String] = objects.prefix(2).map { object in
            zip(object.entity.columns, object.values).map { "\($0.name): \($1)" }.joined(separator: ", ")
        }
        return lines.joined(separator: "\n  ")
    }
}

extension JournalingStore {
    /// Replaces all rows and links by a library's, whose references may lead nowhere.
    func fill(with library: Library) throws {
        let entities = library.model.entities
        try writeJournal(author: "test") { journal in
            for entity in entities { try journal.delete(journal.allKeys(of: entity), of: entity) }
            for entity in entities {
                var builder = RowBatchBuilder(entity: entity)
                for object in library.objects[entity.name] ?? [] {
                    builder.beginRow(key: object.objectID.key, version: 1)
                    for value in object.values { builder.append(value) }
                }
                try journal.upsert(builder.finish())
                for property in entity.relationships where property.relationship?.storage == .ownedLinks {
                    let links = (library.links["\(entity.name).\(property.name)"] ?? []).map {
                        LinkChange.Link(source: $0.source.objectID.key, target: $0.target.objectID.key)
                    }
                    try journal.change(LinkChange(entity: entity, property: property, added: links))
                }
            }
        }
    }
}
