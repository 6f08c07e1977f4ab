import Backstitch
import Foundation

extension StoreConformance {
    /// A store is copied to another place, and the program continues with the copy.
    ///
    /// A backend must
    /// - take all rows, links and bytes in one transaction, with the same identities;
    /// - leave the old store closed and unchanged, ready to be opened or destroyed;
    /// - refuse a target that is not empty.
    ///
    /// A store fails when it names its bytes by its own place, or keeps a lock there after it was closed.
    static let copyCases = [
        copying("a copy in another place has everything, and the program goes on with it") { bench, container, second in
            let id = try await container.perform { context in
                let entry = Entry(context: context)
                entry.text = "moved"
                entry.photo = Data(repeating: 3, count: 5_000)
                for name in ["x", "y"] {
                    let tag = Tag(context: context)
                    tag.name = name
                    entry.tags.insert(tag)
                }
                for number in 0..<2_500 { Entry(context: context).count = number }
                try context.save()
                return entry.objectID
            }
            let old = container.coordinator.store
            let new = try await onThread {
                try container.coordinator.migratePersistentStore(old, to: bench.store.describe(second))
            }
            try expect(container.coordinator.store === new && new !== old)
            try await container.perform { context in
                guard let entry = try context.existingObject(with: id) as? Entry else { return try expect(false) }
                try expectEqual(entry.text, "moved")
                try expectEqual(entry.photo, Data(repeating: 3, count: 5_000))
                try expectEqual(Set(entry.tags.map(\.name)), ["x", "y"])
                try expectEqual(context.count(for: FetchRequest<Entry>()), 2_501)
                entry.text = "later"
                try context.save()
            }
            try container.close()
            for (folder, text) in [(bench.folder, "moved"), (second, "later")] {
                let opened = try PersistentContainer(model: .journal, store: bench.store.describe(folder))
                let found = try await opened.perform { try ($0.existingObject(with: id) as? Entry)?.text }
                try expectEqual(found, text)
                try opened.close()
            }
        },
        copying("a copy goes back to the place that it came from, once that is empty", needs: .destruction) {
            bench, container, second in
            let id = try await container.perform { context in
                let entry = Entry(context: context)
                (entry.text, entry.photo, entry.tags) = ("moved", Data([1, 2, 3]), [Tag(context: context)])
                try context.save()
                return entry.objectID
            }
            for folder in [second, bench.folder] {
                try await onThread {
                    let place = bench.store.describe(folder)
                    // The old store of the first round still exists.
                    try PersistentStoreCoordinator.destroyPersistentStore(
                        at: place.url, type: place.type, options: place.options)
                    try container.coordinator.migratePersistentStore(container.coordinator.store, to: place)
                }
                try await container.perform { context in
                    guard let entry = try context.existingObject(with: id) as? Entry else {
                        return try expect(false)
                    }
                    try expect(entry.text == "moved" && entry.photo == Data([1, 2, 3]) && entry.tags.count == 1)
                    entry.count += 1
                    try context.save()
                }
            }
            let count = try await container.perform { try ($0.existingObject(with: id) as? Entry)?.count }
            try expectEqual(count, 2)
        },
        copying("a copy into a store that holds something is refused, and leaves both as they were") {
            bench, container, second in
            let other = try PersistentContainer(model: .journal, store: bench.store.describe(second))
            for (count, each) in [container, other].enumerated() {
                try await each.perform { context in
                    Entry(context: context).count = count
                    try context.save()
                }
            }
            try other.close()
            try await onThread {
                try expectError(.invalidRequest) {
                    try container.coordinator.migratePersistentStore(
                        container.coordinator.store, to: bench.store.describe(second))
                }
            }
            try await container.perform { context in
                try expectEqual(context.fetch(FetchRequest<Entry>()).map(\.count), [0])
                _ = Entry(context: context)
                try context.save()
            }
            let again = try PersistentContainer(model: .journal, store: bench.store.describe(second))
            let counts = try await again.perform { try $0.fetch(FetchRequest<Entry>()).map(\.count) }
            try expectEqual(counts, [1])
            try again.close()
        },
    ]

    /// A case about a store that is copied to another folder. A synced store is left out: its copy would be a second
    /// device.
    private static func copying(
        _ name: String, needs feature: StoreFeature? = nil,
        _ body: @escaping @Sendable (TestBench, PersistentContainer, URL) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, features: Set([feature].compactMap { $0 })) { bench in
            guard bench.store.isDurable else { return }
            let second = bench.folder.deletingLastPathComponent().appending(
                path: bench.folder.lastPathComponent + "-copy")
            try FileManager.default.createDirectory(at: second, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: second) }
            let container = try bench.container(), store = container.coordinator.store
            if store.journal.map({ $0 === store }) ?? true { try await body(bench, container, second) }
            try container.close()
        }
    }
}
