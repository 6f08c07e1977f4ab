import Harness

/// Devices and the zone server with SQLite, each a process, over HTTP on loopback.
enum Syncing {
    static let benchmarks = [push, first, memory, linear, median, slowest, crowd, merge, photosSent, photosReceived]

    private static let push = Benchmark(
        name: "sync.push", summary: "send 50,000 new records of ten fields", rounds: 3
    ) { stage in
        let server = try SyncServerProcess(stage.path("server"))
        let count = stage.rows(50_000)
        var round = 0
        return [
            .ours { stopwatch in
                round += 1
                let report = try SyncProcess.device(
                    "push", [stage.path("device\(round)"), server.url, "zone\(round)", "\(count)"])
                stopwatch.add(wall: report.wall, processor: report.processor)
            },
            .limit("20,000 records/s", seconds: Double(count) / 20_000),
        ]
    }

    private static let first = pulling(
        "sync.first", "the first sync of 150,000 records of ten fields into a file", "10 s", seconds: 10
    ) { $1.add(wall: $0.wall, processor: $0.processor) }

    private static let memory = pulling(
        "sync.memory", "the most memory of that process (MB for s)", "150 MB", seconds: 150
    ) { $1.add(wall: Double($0.peak) / 1e6, processor: Double($0.peak) / 1e6) }

    private static func pulling(
        _ name: String, _ summary: String, _ limit: String, seconds: Double,
        _ note: @escaping @Sendable (SyncProcess.Report, Stopwatch) -> Void
    ) -> Benchmark {
        Benchmark(name: name, summary: summary, rounds: 2) { stage in
            let server = try SyncServerProcess(stage.path("server"))
            let count = stage.rows(150_000)
            _ = try SyncProcess.device("push", [stage.path("origin"), server.url, "zone", "\(count)"])
            var round = 0
            return [
                .ours { stopwatch in
                    round += 1
                    note(
                        try SyncProcess.device(
                            "pull", [stage.path("device\(round)"), server.url, "zone", "\(count)"]), stopwatch)
                },
                .limit(limit, seconds: seconds * (name == "sync.memory" ? 1 : stage.scale)),
            ]
        }
    }

    private static let median = following("sync.latency", "from a save on one device to the news on another", 0.5, 20)
    private static let slowest = following("sync.latency.p99", "the same, the slowest of a hundred", 0.99, 100)

    private static func following(
        _ name: String, _ summary: String, _ part: Double, _ milliseconds: Double
    ) -> Benchmark {
        Benchmark(name: name, summary: summary, rounds: 3) { stage in
            let server = try SyncServerProcess(stage.path("server"))
            var round = 0
            return [
                .ours { stopwatch in
                    round += 1
                    let report = try SyncProcess.device(
                        "follow", [stage.path("pair\(round)"), server.url, "zone\(round)", "200"])
                    let delay = report.delays.quantile(part) / 1_000
                    stopwatch.add(wall: delay, processor: delay)
                },
                .limit("\(Int(milliseconds)) ms", seconds: milliseconds / 1_000),
            ]
        }
    }

    private static let crowd = Benchmark(
        name: "sync.crowd", summary: "from a save on one device to the news on the last of 49 others", rounds: 2
    ) { stage in
        let server = try SyncServerProcess(stage.path("server"))
        var round = 0
        return [
            .ours { stopwatch in
                round += 1
                let report = try SyncProcess.device(
                    "crowd", [stage.path("crowd\(round)"), server.url, "zone\(round)", "20"])
                let delay = report.delays.quantile(0.5) / 1_000
                stopwatch.add(wall: delay, processor: delay)
            },
            .limit("1 s", seconds: 1, target: nil),
        ]
    }

    private static let linear = Benchmark(
        name: "sync.linear", summary: "the first sync of 1,000,000 records, beside ten times the time of 100,000",
        rounds: 1
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

    private static let merge = task(
        "merge", "sync.merge", "10,000 objects, each changed on two devices offline: sync of the second", 10_000, "5 s",
        5)
    private static let photosSent = task(
        "photos", "sync.photos.send", "send 1,000 photos of 1 MB", 1_000, "100 MB/s", 10)

    /// A task of a device, each time in a new zone.
    private static func task(
        _ task: String, _ name: String, _ summary: String, _ full: Int, _ limit: String, _ seconds: Double
    ) -> Benchmark {
        Benchmark(name: name, summary: summary, rounds: 1) { stage in
            let server = try SyncServerProcess(stage.path("server"))
            var round = 0
            return [
                .ours { stopwatch in
                    round += 1
                    let report = try SyncProcess.device(
                        task, [stage.path("device\(round)"), server.url, "zone\(round)", "\(stage.rows(full))"])
                    stopwatch.add(wall: report.wall, processor: report.processor)
                },
                .limit(limit, seconds: seconds * stage.scale, target: nil),
            ]
        }
    }

    private static let photosReceived = Benchmark(
        name: "sync.photos.receive", summary: "receive 1,000 photos of 1 MB into a new store", rounds: 1
    ) { stage in
        let server = try SyncServerProcess(stage.path("server"))
        let count = stage.rows(1_000)
        _ = try SyncProcess.device("photos", [stage.path("origin"), server.url, "zone", "\(count)"])
        var round = 0
        return [
            .ours { stopwatch in
                round += 1
                let report = try SyncProcess.device(
                    "look", [stage.path("device\(round)"), server.url, "zone", "\(count)"])
                stopwatch.add(wall: report.wall, processor: report.processor)
            },
            .limit("100 MB/s", seconds: 10 * stage.scale, target: nil),
        ]
    }
}
