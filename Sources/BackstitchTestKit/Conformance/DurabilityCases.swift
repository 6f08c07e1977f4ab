import Backstitch
import Foundation

extension StoreConformance {
    /// Data of a returned save exists after the store was opened again. A closed store reports that it is closed.
    ///
    /// A backend must
    /// - have the bytes of assets on the disk before the rows that name them;
    /// - throw ``BackstitchError/Code/storeClosed`` from every request after ``PersistentStore/close()``;
    /// - accept a second call of `close()` without an error;
    /// - save whole or not at all when the task was cancelled.
    ///
    /// A store fails when it renames a file before that is forced to the disk, or continues to read from its memory.
    static let durabilityCases = [
        ConformanceCase("what was saved is there when the store is opened again") { bench in
            guard bench.store.isDurable else { return }
            let container = try bench.container()
            let ids = try await container.perform { context in
                let entry = Entry(context: context), tag = Tag(context: context)
                entry.text = "kept"
                entry.tags = [tag]
                entry.photo = Data([1, 2, 3])
                try context.save()
                entry.text = "not saved"
                return [entry.objectID, tag.objectID]
            }
            let again = try bench.reopen(container)
            try await again.perform { context in
                let entry = try context.existingObject(with: ids[0]) as? Entry
                try expectEqual(entry?.text, "kept")
                try expectEqual(entry?.tags.map(\.objectID), [ids[1]])
                try expectEqual(entry?.photo, Data([1, 2, 3]))
            }
            try again.close()
        },
        ConformanceCase("a closed store refuses everything, and closing it twice is no error") { bench in
            let container = try bench.container()
            let store = container.coordinator.store, model = container.coordinator.model
            let entry = try model.requireEntity(named: "Entry"), key = container.coordinator.generator.next()
            try container.close()
            try container.close()
            try store.close()
            do {
                _ = try await container.perform { try $0.count(for: FetchRequest<Entry>()) }
                throw ConformanceFailure(description: "a closed store answered")
            } catch let error as BackstitchError {
                try expectEqual(error.code, .storeClosed)
            }
            var rows = RowBatchBuilder(entity: entry)
            rows.beginRow(key: key, version: 1)
            for _ in entry.columns { rows.append(.null) }
            var request = SaveChangesRequest()
            request.inserts = [rows.finish()]
            try expectError(.storeClosed) { _ = try store.fetch(StoreFetchRequest(entity: entry)) }
            try expectError(.storeClosed) { _ = try store.rows(of: entry, keys: [key]) }
            try expectError(.storeClosed) { _ = try store.save(request) }
            guard let journal = store.journal else { return }
            try expectError(.storeClosed) { try journal.readJournal { _ in } }
            try expectError(.storeClosed) { try journal.writeJournal(author: "a") { _ in } }
        },
        ConformanceCase("a cancelled task saves the whole or nothing") { bench in
            let container = try bench.container()
            let task = Task {
                try await container.perform { context in
                    for _ in 0..<1000 { _ = Entry(context: context) }
                    try context.save()
                }
            }
            task.cancel()
            _ = await task.result
            let count = try await container.perform { try $0.count(for: FetchRequest<Entry>()) }
            try expect(count == 0 || count == 1000, "\(count)")
        },
    ]
}
