import Backstitch

extension StoreConformance {
    /// Sync's writes to the journal, which are not saves. Stores without a journal are not tested.
    ///
    /// A backend must
    /// - keep links to a row that the journal deletes, and follow them again when the row returns;
    /// - delete the links that the deleted row itself owns.
    ///
    /// A store fails when a foreign key cascades: a record sent again by the server has lost its relationships.
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
            /// The number of entries with exactly this many tags.
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
            // The model decides on which of the two sides the links are kept. A deleted row loses its own links.
            let entries = try store.fetch(StoreFetchRequest(entity: entry))
            try journal.writeJournal(author: "sync") { try $0.delete(Array(entries.keys), of: entry) }
            try journal.writeJournal(author: "sync") { try $0.upsert(entries) }
            let isOwner = entry.properties.contains { $0.name == "tags" && $0.relationship?.storage == .ownedLinks }
            try expectEqual(try count(isOwner ? 0 : 2), 1)
        }
    ]
}
