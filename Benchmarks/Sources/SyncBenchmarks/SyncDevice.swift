import Backstitch
import BackstitchSync
import Foundation
import Harness

/// The tasks of a device. It runs in a process of its own.
struct SyncDevice {
    let folder: String
    let server: String
    let zone: String
    let count: Int

    func run(_ task: String) async throws -> SyncProcess.Report {
        var report =
            switch task {
            case "push": try await push()
            case "zones": try await pushZones()
            case "pull": try await pull()
            case "follow": try await follow()
            case "crowd": try await crowd()
            case "merge": try await merge()
            case "photos": try await photos()
            case "look": try await look()
            case "states": try await states()
            case _ where task.hasPrefix("list."): try await list(task)
            default: throw BenchmarkError("a device cannot \(task)")
            }
        report.peak = try ProcessMemory.peak()
        return report
    }

    /// Saves contacts, and then sends them.
    private func push() async throws -> SyncProcess.Report {
        let container = try Contacts.container(folder, zone: zone, at: server, isAutomatic: false)
        try await Contacts.make(count, of: container)
        let sync = try container.requireSync()
        let stopwatch = Stopwatch()
        try await stopwatch.measure { _ = try await sync.sync() }
        while try await sync.status.pendingCount > 0 {
            try await stopwatch.measure { _ = try await sync.sync() }
        }
        try container.close()
        return SyncProcess.Report(wall: stopwatch.wall, processor: stopwatch.processor)
    }

    /// Receives everything into a new store.
    private func pull() async throws -> SyncProcess.Report {
        let container = try Contacts.container(folder, zone: zone, at: server, isAutomatic: false)
        let stopwatch = Stopwatch()
        try await stopwatch.measure { _ = try await container.requireSync().sync() }
        let found = try await container.perform {
            try $0.count(for: FetchRequest<ManagedObject>(entityName: "Contact"))
        }
        try expect(found, count, "contacts received")
        try container.close()
        return SyncProcess.Report(wall: stopwatch.wall, processor: stopwatch.processor)
    }

    /// Saves one contact at a time on one device, and waits until another device has the news.
    private func follow() async throws -> SyncProcess.Report {
        let here = try Contacts.container(folder + "/here", zone: zone, at: server, isAutomatic: true)
        let there = try Contacts.container(folder + "/there", zone: zone, at: server, isAutomatic: true)
        let (arrivals, feed) = AsyncStream.makeStream(of: (ObjectID, ContinuousClock.Instant).self)
        let events = there.syncEvents
        let listener = Task {
            for await event in events {
                guard case .finished(let summary) = event else { continue }
                for id in summary.inserted { feed.yield((id, .now)) }
            }
        }
        for device in [here, there] { _ = try await device.requireSync().sync() }
        var delays: [Double] = []
        var told = arrivals.makeAsyncIterator()
        for number in 0..<count {
            let (id, begin) = try await here.saveContact(number)
            while let (found, time) = await told.next() {
                guard found == id else { continue }
                delays.append((time - begin) / .milliseconds(1))
                break
            }
        }
        listener.cancel()
        for device in [here, there] { try device.close() }
        return SyncProcess.Report(delays: delays.sorted())
    }
}
