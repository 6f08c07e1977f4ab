import Backstitch
import BackstitchSync
import Harness

extension SyncDevice {
    /// The number of records in a zone: a company, and its contacts.
    static let zoneSize = 100

    /// Saves contacts in zones of `zoneSize` records, and then sends them.
    func pushZones() async throws -> SyncProcess.Report {
        let container = try Contacts.container(folder, zone: zone, at: server, isAutomatic: false)
        let sync = try container.requireSync()
        for number in 0..<(count / Self.zoneSize) {
            try await sync.zones.create(named: "zone\(number)")
            try await Contacts.make(Self.zoneSize - 1, inZone: "zone\(number)", of: container)
        }
        let stopwatch = Stopwatch()
        while try await sync.status.pendingCount > 0 {
            try await stopwatch.measure { _ = try await sync.sync() }
        }
        try container.close()
        return SyncProcess.Report(wall: stopwatch.wall, processor: stopwatch.processor)
    }
}

extension Syncing {
    static let zones = Benchmark(
        name: "sync.zones", summary: "the first sync of 1,000 zones of 100 records, beside one zone of 100,000",
        rounds: 3, warmsUp: false
    ) { stage in
        let server = try SyncServerProcess(stage.path("server"))
        let size = SyncDevice.zoneSize, records = max(stage.rows(100_000) / size, 2) * size
        func side(_ task: String, contacts: Int) throws -> (Stopwatch) async throws -> Void {
            _ = try SyncProcess.device(task, [stage.path("origin-\(task)"), server.url, task, "\(records)"])
            var round = 0
            return { stopwatch in
                round += 1
                let report = try SyncProcess.device(
                    "pull", [stage.path("device-\(task)-\(round)"), server.url, task, "\(contacts)"])
                stopwatch.add(wall: report.wall, processor: report.processor)
            }
        }
        return [
            .ours(try side("zones", contacts: records - records / size)),
            .peer("one zone", target: 2, try side("push", contacts: records)),
        ]
    }
}
