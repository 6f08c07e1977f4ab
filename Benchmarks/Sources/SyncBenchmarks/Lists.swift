import Backstitch
import Harness

/// A list of many rows, in order beside without an order, on devices and the zone server.
enum Lists {
    /// The rows by the relationship. The links of a many-to-many relationship are in one record, which takes 1 MiB.
    private static let rows = ["own": 30_000, "fav": 10_000]

    static let benchmarks = ["own", "fav"].flatMap { key in [sent(key), received(key), moved(key)] }

    static func model(isOrdered: Bool) -> ManagedObjectModel {
        ManagedObjectModel([
            EntityDescription(
                "List",
                [
                    .toMany("own", "Row", inverse: "list", ordered: isOrdered),
                    .toMany("fav", "Row", inverse: "favOf", ordered: isOrdered),
                ]),
            EntityDescription(
                "Row", [.toOne("list", "List", inverse: "own"), .toMany("favOf", "List", inverse: "fav")]),
        ])
    }

    private static func sent(_ key: String) -> Benchmark {
        benchmark("send", key, "link rows to a list, save, and send them")
    }

    private static func received(_ key: String) -> Benchmark {
        benchmark("receive", key, "receive a list, and read it", after: "send")
    }

    private static func moved(_ key: String) -> Benchmark {
        benchmark("move", key, "receive one more row of a list", after: "send")
    }

    /// - Parameter origin: The task of another device before the measurement.
    private static func benchmark(
        _ task: String, _ key: String, _ summary: String, after origin: String? = nil
    ) -> Benchmark {
        Benchmark(
            name: "sync.ordered.\(key).\(task)", summary: "\(summary); in order beside without an order", rounds: 3,
            warmsUp: false
        ) { stage in
            let server = try SyncServerProcess(stage.path("server")), count = "\(stage.rows(rows[key] ?? 0))"
            func side(_ kind: String) -> (Stopwatch) throws -> Void {
                var round = 0
                return { stopwatch in
                    round += 1
                    let zone = "\(kind)\(round)"
                    func device(_ task: String, _ folder: String) throws -> SyncProcess.Report {
                        try SyncProcess.device(
                            "list.\(key).\(kind).\(task)", [stage.path("\(zone)-\(folder)"), server.url, zone, count])
                    }
                    if let origin { _ = try device(origin, "origin") }
                    let report = try device(task, "device")
                    stopwatch.add(wall: report.wall, processor: report.processor)
                }
            }
            return [
                .ours(side("ordered")),
                .peer("unordered", target: 1.5, side("unordered")),
            ]
        }
    }
}
