import Backstitch
import Foundation

extension StoreConformance {
    /// Makes an entry with a tag, a cover and a photo, and returns the identities of the three objects.
    private static func fill(_ context: ManagedObjectContext) throws -> [ObjectID] {
        let entry = Entry(context: context), tag = Tag(context: context), cover = Cover(context: context)
        entry.text = "kept"
        entry.photo = Data([1, 2, 3])
        entry.tags = [tag]
        entry.cover = cover
        tag.name = "t"
        return [entry.objectID, tag.objectID, cover.objectID]
    }

    /// Throws unless all of that is there.
    private static func check(_ context: ManagedObjectContext, _ ids: [ObjectID]) throws {
        guard let entry = try context.existingObject(with: ids[0]) as? Entry else { return }
        try expectEqual(entry.text, "kept")
        try expectEqual(entry.photo, Data([1, 2, 3]))
        try expectEqual(entry.tags.map(\.objectID), [ids[1]])
        try expectEqual(entry.cover?.objectID, ids[2])
    }

    /// A store is opened read-only, destroyed, and made anew.
    ///
    /// A backend must
    /// - refuse every write to a read-only store with ``BackstitchError/Code/readOnly``, and neither make nor migrate
    ///   one;
    /// - remove all its files when it is destroyed, assets and side files too, and nothing else;
    /// - do nothing if no store exists.
    ///
    /// A store fails when it makes the file before it checks ``StoreConfiguration/isReadOnly``, or leaves assets behind
    /// for a new store in that place.
    static let storeLifeCases = [
        ConformanceCase(
            "a model without entities opens, and a later one of the same store adds some", needs: .migration
        ) {
            bench in
            guard bench.store.isDurable else { return }
            let empty = ManagedObjectModel([])
            try expect(empty.faults().isEmpty)
            try bench.container(empty).close()
            let container = try bench.reopen(bench.container(empty))
            try await container.perform { context in
                _ = try context.insertObject(entityName: "Entry")
                try context.save()
                try expectEqual(try context.count(for: FetchRequest<ManagedObject>(entityName: "Entry")), 1)
            }
            try container.close()
            try expectError(.modelMismatch) { _ = try bench.container(empty) }
        },
        ConformanceCase("a coordinator lets go of its last store, finds nothing then, and saves nothing") { bench in
            let container = try bench.container()
            try await container.perform { context in
                let entry = try context.insertObject(entityName: "Entry")
                try context.save()
                let store = context.coordinator.stores[0]
                try context.coordinator.remove(store)
                try expect(context.coordinator.stores.isEmpty)
                try expectError(.storeClosed) { _ = try store.count(StoreFetchRequest(entity: entry.entity)) }
                let other = ManagedObjectContext(coordinator: context.coordinator)
                let request = FetchRequest<ManagedObject>(entityName: "Entry")
                try expectEqual(try other.fetch(request).count, 0)
                try expectEqual(try other.count(for: request), 0)
                try expectError(.objectNotFound) { _ = try other.existingObject(with: entry.objectID) }
                try expectEqual(try other.fetch(DictionaryFetchRequest(entityName: "Entry", [.key("text")])), [])
                try expectEqual(try other.execute(BatchDeleteRequest(request)).count, 0)
                _ = try other.insertObject(entityName: "Entry")
                let error = try expectError(.storeClosed) { try other.save() }
                try expect(error.message.contains("last store was removed"), error.message)
                try expectError(.storeClosed) {
                    try other.execute(BatchInsertRequest(entityName: "Entry", objects: [[:]]))
                }
                try expectError(.invalidRequest) { try context.coordinator.remove(store) }
            }
            try container.close()
        },
        ConformanceCase("a read-only store is read, and refuses every write", needs: .readOnly) { bench in
            guard bench.store.isDurable else { return }
            let container = try bench.container()
            let ids = try await container.perform { context in
                let ids = try fill(context)
                try context.save()
                return ids
            }
            try container.close()
            var description = bench.store.describe(bench.folder)
            description.isReadOnly = true
            let reading = try PersistentContainer(model: .journal, store: description, clock: bench.clock)
            try await reading.perform { context in
                try check(context, ids)
                let entry = try context.existingObject(with: ids[0]) as? Entry
                entry?.text = "changed"
                let error = try expectError(.readOnly) { try context.save() }
                try expect(error.message.contains("isReadOnly"), error.message)
                context.rollback()
                entry?.photo = Data([9])
                try expectError(.readOnly) { try context.save() }
                context.rollback()
                _ = Tag(context: context)
                try expectError(.readOnly) { try context.save() }
                context.rollback()
                try expectError(.readOnly) {
                    _ = try context.execute(BatchDeleteRequest(FetchRequest<Tag>()))
                }
                try check(context, ids)
            }
            try reading.close()
            let again = try bench.container()
            try await again.perform { try check($0, ids) }
            try again.close()
        },
        ConformanceCase("a read-only store is neither made nor migrated", needs: .readOnly) { bench in
            guard bench.store.isDurable else { return }
            var description = bench.store.describe(bench.folder)
            description.isReadOnly = true
            try expectError(.storeNotFound) {
                try PersistentContainer(model: .journal, store: description, clock: bench.clock).close()
            }
            try bench.container().close()
            var newer = ManagedObjectModel.journal
            newer.entities[0].properties.append(.attribute("extra", .string))
            let error = try expectError(.modelMismatch) {
                try PersistentContainer(model: newer, store: description, clock: bench.clock).close()
            }
            try expect(error.message.contains("read-only"), error.message)
        },
        ConformanceCase("a destroyed store is gone with its assets, and can be made anew", needs: .destruction) {
            bench in
            guard bench.store.isDurable else { return }
            let description = bench.store.describe(bench.folder)
            func destroy() throws {
                try PersistentStoreCoordinator.destroyPersistentStore(
                    at: description.url, type: description.type, options: description.options)
            }
            try destroy()
            let container = try bench.container()
            let ids = try await container.perform { context in
                let ids = try fill(context)
                try context.save()
                return ids
            }
            try container.close()
            try destroy()
            if description.url?.isFileURL == true {
                try expectEqual(FileManager.default.contentsOfDirectory(atPath: bench.folder.path), [])
            }
            let again = try bench.container()
            try await again.perform { context in
                for name in ["Entry", "Tag", "Cover"] {
                    try expectEqual(context.count(for: FetchRequest<ManagedObject>(entityName: name)), 0)
                }
                try expectError(.objectNotFound) { _ = try context.existingObject(with: ids[0]) }
            }
            try again.close()
        },
    ]
}
