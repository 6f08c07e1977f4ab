import Backstitch
import BackstitchSync
import Harness

extension SyncDevice {
    /// Does a task with a list: `list.`, its relationship, `ordered` or `unordered`, and the task.
    func list(_ name: String) async throws -> SyncProcess.Report {
        let parts = name.split(separator: ".").map(String.init)
        guard parts.count == 4 else { throw BenchmarkError("a device cannot \(name)") }
        let (key, task) = (parts[1], parts[3])
        let container = try Contacts.container(
            folder, zone: zone, at: server, isAutomatic: false, model: Lists.model(isOrdered: parts[2] == "ordered"))
        let sync = try container.requireSync(), count = count, stopwatch = Stopwatch()
        switch task {
        case "send":
            try await stopwatch.measure {
                try await container.perform { context in
                    let list = try context.insertObject(entityName: "List")
                    for _ in 0..<count { try list.add(context.insertObject(entityName: "Row"), to: key) }
                    try context.save()
                }
                repeat { _ = try await sync.sync() } while try await sync.status.pendingCount > 0
            }
            try expect(try await sync.status.blockedCount, 0, "changes that the server does not take")
        case "receive":
            try await stopwatch.measure {
                _ = try await sync.sync()
                try expect(try await Self.rows(key, in: container), count, "rows of the list")
            }
        case "move":
            let other = try Contacts.container(
                folder + "-other", zone: zone, at: server, isAutomatic: false,
                model: Lists.model(isOrdered: parts[2] == "ordered"))
            for device in [container, other] { _ = try await device.requireSync().sync() }
            try await other.perform { context in
                let list = try context.fetch(FetchRequest<ManagedObject>(entityName: "List"))[0]
                try list.add(context.insertObject(entityName: "Row"), to: key)
                try context.save()
            }
            _ = try await other.requireSync().sync()
            try await stopwatch.measure {
                _ = try await sync.sync()
                try expect(try await Self.rows(key, in: container), count + 1, "rows of the list")
            }
            try other.close()
        default: throw BenchmarkError("a device cannot \(name)")
        }
        try container.close()
        return SyncProcess.Report(wall: stopwatch.wall, processor: stopwatch.processor)
    }

    /// The number of rows of the list, read through the relationship.
    private static func rows(_ key: String, in container: PersistentContainer) async throws -> Int {
        try await container.perform { context in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "List"))[0].objects(forKey: key).count
        }
    }
}
