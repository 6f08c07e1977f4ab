import Backstitch
import BackstitchSync
import Foundation
import Harness

extension SyncDevice {
    /// Saves photos of a megabyte each, and then sends them.
    func photos() async throws -> SyncProcess.Report {
        let container = try Contacts.container(folder, zone: zone, at: server, isAutomatic: false)
        for number in 0..<count {
            try await container.perform { context in
                var random = RandomSource(seed: UInt64(number))
                let words = (0..<131_072).map { _ in random.next() }
                let photo = try context.insertObject(entityName: "Photo")
                photo["bytes"] = words.withUnsafeBytes { Data($0) }
                try context.save()
            }
        }
        let stopwatch = Stopwatch()
        let sync = try container.requireSync()
        try await stopwatch.measure {
            repeat { _ = try await sync.sync() } while try await sync.status.pendingCount > 0
        }
        try container.close()
        return SyncProcess.Report(wall: stopwatch.wall, processor: stopwatch.processor)
    }

    /// Receives photos into a new store, bytes and all.
    func look() async throws -> SyncProcess.Report {
        let container = try Contacts.container(folder, zone: zone, at: server, isAutomatic: false)
        let stopwatch = Stopwatch()
        let summary = try await stopwatch.measure { try await container.requireSync().sync() }
        try expect(summary.missingAssets, 0, "photos without their bytes")
        try expect(summary.received, count, "photos received")
        try container.close()
        return SyncProcess.Report(wall: stopwatch.wall, processor: stopwatch.processor)
    }
}
