import Harness

/// Devices and the zone server with SQLite, each a process, over HTTP on loopback.
enum Syncing {
    static let benchmarks = [
        push, first, memory, linear, zones, median, slowest, crowd, merge, photosSent, photosReceived,
        photoStates, pushToPostgreSQL,
    ]

    private static let push = task(
        "push", "sync.push", "send 50,000 new records of ten fields", 50_000, rounds: 3, "20,000 records/s", 2.5,
        target: 1, peer: kintoTakes)
    private static let pushToPostgreSQL = task(
        "push", "server.push", "send 50,000 new records to a server on PostgreSQL", 50_000, rounds: 3,
        onPostgreSQL: true, "10,000 records/s", 5, target: 1)
    private static let first = task(
        "pull", "sync.first", "the first sync of 150,000 records of ten fields into a file", 150_000, rounds: 2,
        of: "push", "10 s", 10, target: 1, peer: kintoGives)
    private static let memory = task(
        "pull", "sync.memory", "the most memory of that process (MB for s)", 150_000, rounds: 2, of: "push", "150 MB",
        150, target: 1, isScaled: false
    ) { (Double($0.peak) / 1e6, Double($0.peak) / 1e6) }
    private static let median = task(
        "follow", "sync.latency", "from a save on one device to the news on another", 200, rounds: 3, "20 ms", 0.02,
        target: 1, isScaled: false, delay(0.5))
    private static let slowest = task(
        "follow", "sync.latency.p99", "the same, the slowest of a hundred", 200, rounds: 3, "100 ms", 0.1, target: 1,
        isScaled: false, delay(0.99))
    private static let crowd = task(
        "crowd", "sync.crowd", "from a save on one device to the news on the last of 49 others", 20, rounds: 2, "1 s",
        1,
        isScaled: false, delay(0.5))
    private static let merge = task(
        "merge", "sync.merge", "10,000 objects, each changed on two devices offline: sync of the second", 10_000, "5 s",
        5)
    private static let photosSent = task(
        "photos", "sync.photos.send", "send 1,000 photos of 1 MB", 1_000, "100 MB/s", 10)
    private static let photosReceived = task(
        "look", "sync.photos.receive", "receive 1,000 photos of 1 MB into a new store", 1_000, of: "photos", "100 MB/s",
        10)
    private static let photoStates = task(
        "states", "sync.photos.states", "list 10,000 photos with where their bytes are, median of 20", 10_000, "100 ms",
        0.1, target: 1, isScaled: false, delay(0.5))

    /// Makes the benchmark of a device's task, with a limit to its time.
    ///
    /// - Parameters:
    ///   - full: The amount of work at the full size.
    ///   - origin: The task of another device before the measurement. All rounds then share its zone; without it each
    ///     round has its own zone.
    ///   - onPostgreSQL: Whether the server has its records in PostgreSQL.
    ///   - seconds: The limit at the full size.
    ///   - isScaled: Whether less work may take less time.
    ///   - figures: The relevant figures of the report, in place of wall and processor time.
    ///   - peer: A competitor for the same work, if there is one.
    private static func task(
        _ task: String, _ name: String, _ summary: String, _ full: Int, rounds: Int = 1, of origin: String? = nil,
        onPostgreSQL: Bool = false, _ limit: String, _ seconds: Double, target: Double? = nil, isScaled: Bool = true,
        _ figures: @escaping @Sendable (SyncProcess.Report) -> (wall: Double, processor: Double) = {
            ($0.wall, $0.processor)
        },
        peer: @escaping @Sendable (Stage) async throws -> Side? = { _ in nil }
    ) -> Benchmark {
        // Devices are new processes each time. Only the server could be warm, and a single round does without that.
        Benchmark(name: name, summary: summary, rounds: rounds, warmsUp: rounds > 1) { stage in
            let server = try SyncServerProcess(stage.path("server"), onPostgreSQL: onPostgreSQL)
            let count = "\(stage.rows(full))"
            if let origin {
                _ = try SyncProcess.device(origin, [stage.path("origin"), server.url, "zone", count])
            }
            var round = 0
            let sides: [Side] = [
                .ours { stopwatch in
                    round += 1
                    let zone = origin == nil ? "zone\(round)" : "zone"
                    let report = try SyncProcess.device(
                        task, [stage.path("device\(round)"), server.url, zone, count])
                    let (wall, processor) = figures(report)
                    stopwatch.add(wall: wall, processor: processor)
                },
                .limit(limit, seconds: isScaled ? seconds * stage.scale : seconds, target: target),
            ]
            return try await sides + [peer(stage)].compactMap { $0 }
        }
    }

    /// Kinto would take minutes for all records. It gets a part of them, and its time is multiplied.
    private static func kintoTakes(_ stage: Stage) async throws -> Side? {
        guard let program = Kinto.program else { return nil }
        let kinto = try Kinto(program, folder: stage.path("kinto")), count = stage.rows(500)
        var round = 0
        return .peer("Kinto with PostgreSQL, 100 x 500 records") { stopwatch in
            round += 1
            let part = Stopwatch()
            try await part.measure { try await kinto.push(count, to: "push\(round)") }
            stopwatch.add(wall: part.wall * 100, processor: part.processor * 100)
        }
    }

    private static func kintoGives(_ stage: Stage) async throws -> Side? {
        guard let program = Kinto.program else { return nil }
        let kinto = try Kinto(program, folder: stage.path("kinto")), count = stage.rows(3_000)
        try await kinto.push(count, to: "pull")
        return .peer("Kinto with PostgreSQL, 50 x 3,000 records, only read") { stopwatch in
            let part = Stopwatch()
            try await part.measure { try await kinto.pull(count, from: "pull") }
            stopwatch.add(wall: part.wall * 50, processor: part.processor * 50)
        }
    }

    /// Returns the quantile of the delays for a part between 0 and 1, in seconds.
    private static func delay(
        _ part: Double
    ) -> @Sendable (SyncProcess.Report) -> (wall: Double, processor: Double) {
        { report in
            let delay = report.delays.quantile(part) / 1_000
            return (delay, delay)
        }
    }

    private static let linear = Benchmark(
        name: "sync.linear", summary: "the first sync of 1,000,000 records, beside ten times the time of 100,000",
        rounds: 1, warmsUp: false
    ) { stage in
        let server = try SyncServerProcess(stage.path("server"))
        func side(_ full: Int, _ times: Double) throws -> (Stopwatch) async throws -> Void {
            let count = stage.rows(full)
            _ = try SyncProcess.device("push", [stage.path("origin\(full)"), server.url, "zone\(full)", "\(count)"])
            var round = 0
            return { stopwatch in
                round += 1
                let report = try SyncProcess.device(
                    "pull", [stage.path("device\(full)-\(round)"), server.url, "zone\(full)", "\(count)"])
                stopwatch.add(wall: report.wall * times, processor: report.processor * times)
            }
        }
        return [
            .ours(try side(1_000_000, 1)), .peer("10 x 100,000 records", target: 1.1, try side(100_000, 10)),
        ]
    }
}
