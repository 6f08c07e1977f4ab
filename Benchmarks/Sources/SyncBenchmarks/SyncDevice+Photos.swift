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

    /// Saves small photos, and lists them with their states again and again. Half of them are set aside, since their
    /// upload is paused. One in twenty was removed from this device after it was sent.
    func states() async throws -> SyncProcess.Report {
        let container = try Contacts.container(folder, zone: zone, at: server, isAutomatic: false)
        let sync = try container.requireSync()
        for half in 0..<2 {
            if half == 1 { try await sync.assets.pause() }
            try await container.perform { [count] context in
                for number in 0..<count / 2 {
                    try context.insertObject(entityName: "Photo")["bytes"] = Data("photo \(half) \(number)".utf8)
                }
                try context.save()
            }
            repeat { _ = try await sync.sync() } while try await sync.status.pendingCount > 0
        }
        let sent = try await sync.assets.states(of: "Photo").filter {
            if case .local = $0.state { true } else { false }
        }
        for photo in sent.prefix(count / 20) { try await sync.assets.evict(photo.key, of: photo.objectID) }
        var delays: [Double] = []
        for _ in 0..<20 {
            let stopwatch = Stopwatch()
            let states = try await stopwatch.measure { try await sync.assets.states(of: "Photo") }
            delays.append(stopwatch.wall * 1_000)
            try expect(states.count, count, "photos listed")
            try expect(
                states.count { if case .paused = $0.state { true } else { false } }, count / 2, "photos that are paused"
            )
            try expect(
                states.count { if case .remote = $0.state { true } else { false } }, count / 20, "photos elsewhere")
        }
        try container.close()
        return SyncProcess.Report(wall: delays.reduce(0, +) / 1_000, processor: 0, delays: delays.sorted())
    }

    /// Receives photos with their bytes into a new store.
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
