import Backstitch
import Foundation

extension StoreConformance {
    /// Several containers on one place, at once.
    ///
    /// A backend must
    /// - make the store once when many containers open it at the same moment, and let the others wait for that;
    /// - read a row again within moments after another container has saved it.
    ///
    /// A store fails when it checks for a store and makes one in two steps, or when nothing updates its cache.
    static let sharedPlaceCases = [
        ConformanceCase("of eight that open a new store at once one makes it, and all have the same", needs: .sharing) {
            bench in
            guard bench.store.isDurable else { return }
            let identifiers = try await withThrowingTaskGroup(of: UUID.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await onThread {
                            let container = try bench.container()
                            let identifier = container.coordinator.store.identifier
                            try container.close()
                            return identifier
                        }
                    }
                }
                return try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
            }
            try expectEqual(identifiers.count, 1)
        },
        ConformanceCase(
            "a container sees what another saved: the shared row is read again", needs: .history, .sharing
        ) { bench in
            guard bench.store.isDurable else { return }
            let one = try bench.container(), other = try bench.container()
            let text: @Sendable (ManagedObjectContext, ObjectID) throws -> String? = { context, id in
                try (context.existingObject(with: id) as? Entry)?.text
            }
            let id = try await one.perform { context in
                let entry = Entry(context: context)
                entry.text = "before"
                try context.save()
                return entry.objectID
            }
            let first = try await other.perform { try text($0, id) }
            try expectEqual(first, "before")
            try await one.perform { context in
                (try context.existingObject(with: id) as? Entry)?.text = "after"
                try context.save()
            }
            var seen: String?
            for _ in 0..<200 where seen != "after" {
                seen = try await other.perform { try text($0, id) }
                try await Task.sleep(for: .milliseconds(25))
            }
            try expectEqual(seen, "after")
            try one.close()
            try other.close()
        },
    ]
}
