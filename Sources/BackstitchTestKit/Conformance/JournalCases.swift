import Backstitch

extension StoreConformance {
    /// Writes of sync to the journal, which are no saves; nothing is asked of stores that keep no journal.
    ///
    /// A backend has to
    /// - leave links that lead to a row which the journal deletes, and follow them again when the row is back;
    /// - take the links along that the deleted row itself owns.
    ///
    /// A store fails when a foreign key cascades: a record that the server sends again has lost its relationships.
    static let journalCases = [
        ConformanceCase(
            "links to a row that the journal deletes read as nothing, and lead there again when it comes back"
        ) {
            bench in
            let container = try bench.container()
            let store = container.coordinator.store, model = container.coordinator.model
            guard let journal = store.journal else { return }
            try await container.perform { context in
                let entry = Entry(context: context)
                entry.tags = [Tag(context: context), Tag(context: context)]
                try context.save()
            }
            let entry = try model.requireEntity(named: "Entry"), tag = try model.requireEntity(named: "Tag")
            /// How many entries have so many tags.
            func count(_ tags: Int) throws -> Int {
                let predicate = try FetchPredicate(format: "tags.@count == \(tags)").resolved(for: entry, in: model)
                return try store.fetch(StoreFetchRequest(entity: entry, predicate: predicate)).count
            }
            try expectEqual(try count(2), 1)
            let tags = try store.fetch(StoreFetchRequest(entity: tag))
            try journal.writeJournal(author: "sync") { try $0.delete([tags.keys[0]], of: tag) }
            try expectEqual(try count(1), 1)
            try journal.writeJournal(author: "sync") { try $0.upsert(tags) }
            try expectEqual(try count(2), 1)
            // Which of the two keeps the links is the model's affair: the row that goes takes its own along.
            let entries = try store.fetch(StoreFetchRequest(entity: entry))
            try journal.writeJournal(author: "sync") { try $0.delete(Array(entries.keys), of: entry) }
            try journal.writeJournal(author: "sync") { try $0.upsert(entries) }
            let isOwner = entry.properties.contains { $0.name == "tags" && $0.relationship?.storage == .ownedLinks }
            try expectEqual(try count(isOwner ? 0 : 2), 1)
        }
    ]
}
