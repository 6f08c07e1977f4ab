import Backstitch
import Foundation
import Synchronization

extension StoreConformance {
    /// Assets: bytes outside the rows. They are written before the rows that name them, and freed when nothing names
    /// them.
    ///
    /// A backend must
    /// - keep no bytes before the save that names them, and none of a refused save;
    /// - keep equal bytes once, and write hundreds of assets of one save to the disk together;
    /// - find bytes by a reference whose checksum was made elsewhere;
    /// - free unused bytes on request and at opening: bytes named by no row, no unsent change and no old state
    ///   (``PersistentStore/collectAssets()``);
    /// - with a journal, remove local bytes that also exist elsewhere, unless a reader uses an older state
    ///   (``JournalingStore/removeAssets(_:)``);
    /// - hold the bytes that a save is about to name, while another thread collects.
    ///
    /// A store fails when it lists the names, and then removes files, with a save between the two.
    static let assetCases = [
        ConformanceCase("fetches, faults and saves into a parent keep no bytes; the save that names them does") {
            bench in
            let bytes = Data("a photo".utf8), other = Data("another photo".utf8)
            let container = try bench.container()
            let names = try await container.perform { context in
                let assets = context.coordinator.store.assets
                let names = [assets.reference(to: bytes), assets.reference(to: other)]
                let entry = Entry(context: context)
                entry.photo = bytes
                let child = ManagedObjectContext(parent: context)
                let mine = try child.fetch(FetchRequest<Entry>())[0]
                try expectEqual(mine.photo, bytes)
                try expectEqual(mine.value(forKey: "photo"), .data(bytes))
                mine.photo = other
                let second = Entry(context: child)
                second.photo = bytes
                second.text = "second"
                try child.save()
                try expectEqual(mine.photo, other)
                try expectEqual(second.photo, bytes)
                try expectEqual(entry.photo, other)
                try expectEqual(names.map(assets.contains), [false, false])
                // New readers of the child see the values of its parent.
                try expectEqual(
                    Set(ManagedObjectContext(parent: child).fetch(FetchRequest<Entry>()).map(\.photo)), [bytes, other])
                try expectEqual(names.map(assets.contains), [false, false])
                try context.save()
                try expectEqual(names.map(assets.contains), [true, true])
                try expectEqual(entry.value(forKey: "photo"), .asset(names[1]))
                child.refreshAllObjects()
                try expectEqual(Set(child.fetch(FetchRequest<Entry>()).map(\.photo)), [bytes, other])
                return names
            }
            guard bench.store.isDurable else { return }
            let again = try bench.reopen(container)
            try expectEqual(names.map(again.coordinator.store.assets.contains), [true, true])
            try again.close()
        },
        ConformanceCase("a save that is refused before it is written keeps no bytes") { bench in
            try await bench.container().perform { context in
                let assets = context.coordinator.store.assets, bytes = Data("refused".utf8)
                let warden = Warden(context: context), entry = Entry(context: context)
                warden.name = nil
                entry.photo = bytes
                try expectError(.validation) { try context.save() }
                try expect(!assets.contains(assets.reference(to: bytes)))
                warden.name = "Ada"
                try context.save()
                try expectEqual(assets.read(assets.reference(to: bytes)), bytes)
            }
        },
        ConformanceCase("batch requests keep the bytes that they name") { bench in
            try await bench.container().perform { context in
                let photos = (0..<40).map { Data(repeating: UInt8($0), count: 100 * $0) }
                try context.execute(
                    BatchInsertRequest(
                        entityName: "Entry",
                        objects: photos.enumerated().map { ["text": .string("\($0)"), "photo": .data($1)] }))
                let request = try FetchRequest<Entry>(where: "photo != nil")
                for entry in try context.fetch(request) {
                    try expectEqual(entry.photo, Int(entry.text).map { photos[$0] })
                }
                try context.execute(
                    BatchUpdateRequest(
                        entityName: "Entry", where: FetchPredicate(format: "text == %@", arguments: ["7"]),
                        set: ["photo": .value(.data(Data("new".utf8)))]))
                try expectEqual(
                    context.fetch(FetchRequest<Entry>(where: "text == %@", "7")).map(\.photo), [Data("new".utf8)])
                try expectEqual(context.count(for: request), 40)
            }
        },
        ConformanceCase("hundreds of assets of one save come back, among them equal ones") { bench in
            let container = try bench.container()
            try await container.perform { context in
                for number in 0..<600 {
                    let entry = Entry(context: context)
                    entry.text = "\(number)"
                    entry.photo = Data("photo \(number % 500)".utf8)
                }
                try context.save()
            }
            let reader = bench.store.isDurable ? try bench.reopen(container) : container
            try await reader.perform { context in
                let entries = try context.fetch(FetchRequest<Entry>())
                try expectEqual(entries.count, 600)
                for entry in entries {
                    try expectEqual(entry.photo, Int(entry.text).map { Data("photo \($0 % 500)".utf8) })
                }
            }
        },
        ConformanceCase("bytes that are lost are an error, where the store cannot have them elsewhere") { bench in
            try await bench.container().perform { context in
                let data = Data("lost".utf8), store = context.coordinator.store
                Entry(context: context).photo = data
                try context.save()
                try store.assets.remove(store.assets.reference(to: data))
                let again = ManagedObjectContext(coordinator: context.coordinator)
                let entries = try again.fetch(FetchRequest<Entry>())
                try expect(entries[0].photo == nil)
                if store.hasAssetsElsewhere {
                    try expectEqual(again.count(for: FetchRequest<Entry>()), 1)
                } else {
                    try expectError(.asset) { _ = try again.count(for: FetchRequest<Entry>()) }
                }
            }
        },
        ConformanceCase("what nothing names any more is freed, what something names stays", needs: .assetCollection) {
            bench in
            let old = Data("old".utf8), shared = Data("shared".utf8), new = Data("new".utf8)
            try await bench.container().perform { context in
                let coordinator = context.coordinator, assets = coordinator.store.assets
                let here = { (data: Data) in assets.contains(assets.reference(to: data)) }
                let first = Entry(context: context), second = Entry(context: context), third = Entry(context: context)
                (first.photo, second.photo, third.photo) = (old, shared, shared)
                try context.save()
                try expectEqual(coordinator.collectAssets(), 0)
                try expectEqual([old, shared].map(here), [true, true])
                first.photo = new
                context.delete(second)
                try context.save()
                // In a synced store, unsent changes may name the old value.
                if coordinator.store.journal.map({ $0 === coordinator.store }) ?? true {
                    try expectEqual(coordinator.collectAssets(), 1)
                    try expect(!here(old))
                }
                try expectEqual([new, shared].map(here), [true, true])
                context.delete(third)
                try context.save()
                _ = try coordinator.collectAssets()
                try expectEqual([new, shared].map(here), [true, false])
                // The value can be used again.
                let again = Entry(context: context)
                again.photo = shared
                try context.save()
                try expectEqual(coordinator.collectAssets(), 0)
                try expectEqual(again.photo, shared)
                try expectEqual(first.photo, new)
            }
        },
        ConformanceCase("what a pinned context reads is not freed", needs: .assetCollection, .snapshots) { bench in
            guard bench.store.isDurable else { return }
            try await bench.container().perform { context in
                let old = Data("old".utf8)
                let entry = Entry(context: context)
                entry.photo = old
                try context.save()
                let pinned = ManagedObjectContext(coordinator: context.coordinator)
                try pinned.setQueryGeneration(from: .current)
                try expectEqual(pinned.count(for: FetchRequest<Entry>()), 1)
                context.delete(entry)
                try context.save()
                try expectEqual(context.coordinator.collectAssets(), 0)
                try expectEqual(pinned.fetch(FetchRequest<Entry>()).map(\.photo), [old])
                try pinned.setQueryGeneration(from: nil)
                try expectEqual(context.coordinator.collectAssets(), 1)
            }
        },
        ConformanceCase(
            "bytes that a server has too are removed unless an older state is read, and a save brings them again",
            needs: .assetCollection, .snapshots, .history
        ) { bench in
            guard bench.store.isDurable else { return }
            try await bench.container().perform { context in
                guard let journal = context.coordinator.store.journal else { return }
                let data = Data("sent".utf8), name = journal.assets.reference(to: data)
                let entry = Entry(context: context)
                entry.photo = data
                try context.save()
                let pinned = ManagedObjectContext(coordinator: context.coordinator)
                try pinned.setQueryGeneration(from: .current)
                try expectEqual(pinned.count(for: FetchRequest<Entry>()), 1)
                try expect(!journal.removeAssets { _ in [name] })
                try expect(journal.assets.contains(name))
                try pinned.setQueryGeneration(from: nil)
                let isDone = try journal.removeAssets { reading in
                    try expect(reading.lastTransactionNumber() > 0)
                    return [name]
                }
                try expect(isDone)
                try expect(!journal.assets.contains(name))
                Entry(context: context).photo = data
                try context.save()
                try expect(journal.assets.contains(name))
            }
        },
        ConformanceCase("opening a store frees what earlier processes have left", needs: .assetCollection) { bench in
            guard bench.store.isDurable else { return }
            let container = try bench.container()
            try await container.perform { context in
                let entry = Entry(context: context)
                entry.photo = Data("left".utf8)
                try context.save()
                context.delete(entry)
                try context.save()
            }
            let again = try bench.reopen(container)
            let assets = again.coordinator.store.assets
            let name = assets.reference(to: Data("left".utf8))
            try expect(Patience.until { !assets.contains(name) })
            try again.close()
        },
        ConformanceCase("a purge of history frees what nothing names", needs: .assetCollection, .history) { bench in
            try await bench.container().perform { context in
                // Otherwise the collection at opening would free the value, too.
                try context.coordinator.collectAssets()
                let assets = context.coordinator.store.assets, name = assets.reference(to: Data("gone".utf8))
                let entry = Entry(context: context)
                entry.photo = Data("gone".utf8)
                try context.save()
                context.delete(entry)
                try context.save()
                try expect(assets.contains(name))
                _ = try context.coordinator.purgeHistory(before: Date(milliseconds: 0))
                try expect(!assets.contains(name))
            }
        },
        ConformanceCase("savers that name what is being freed lose nothing", needs: .assetCollection) { bench in
            let container = try bench.container()
            let isOver = Flag()
            async let collected = onThread {
                var count = 0
                while !isOver.isSet { count += try container.coordinator.collectAssets() }
                return count
            }
            do {
                // It is set after a failure, too, since the collector is waited for.
                defer { isOver.set() }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 {
                        group.addTask {
                            for number in 0..<60 {
                                try await container.perform { context in
                                    // All savers write and delete the same few contents.
                                    let photo = Data("photo \(number % 4)".utf8)
                                    let entry = Entry(context: context)
                                    entry.photo = photo
                                    try context.save()
                                    try expectEqual(entry.photo, photo)
                                    if number % 8 > 1 {
                                        context.delete(entry)
                                        try context.save()
                                    }
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            _ = try await collected
            try await container.perform { context in
                let entries = try context.fetch(FetchRequest<Entry>())
                try expectEqual(entries.count, 48)
                try expect(entries.allSatisfy { $0.photo != nil })
            }
        },
    ]
}

/// Waits for another thread's work. The test's own clock cannot move that.
private enum Patience {
    /// Whether `condition` becomes true within ten seconds.
    static func until(_ condition: () -> Bool) -> Bool {
        for _ in 0..<2_000 {
            if condition() { return true }
            Thread.sleep(forTimeInterval: 0.005)
        }
        return false
    }
}

/// A flag for several tasks.
private final class Flag: Sendable {
    /// The flag's value. Several threads read and set it.
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
