import Foundation
import Harness
import Synchronization

/// The zone server on PostgreSQL, with clients that keep nothing. Its commits are durable: each waits for its fsync.
enum Serving {
    static let benchmarks = [pull, zones, polls, query]

    private static let pull = Benchmark(
        name: "server.pull", summary: "150,000 records of ten fields read page by page", rounds: 3
    ) { stage in
        let server = try SyncServerProcess(stage.path("server"), onPostgreSQL: true), count = stage.rows(150_000)
        let line = try ServerLine(server.url, user: "pull")
        try fill(line, "pull", 0..<count)
        return [
            .ours { stopwatch in
                var token = "", found = 0
                try stopwatch.measure {
                    repeat {
                        let answer = try line.ask(
                            "changes/zone", #"{"zones":[{"zoneID":{"zoneName":"pull"}\#(token)}]}"#)
                        found += answer.occurrences(of: #""recordName":"contact"#)
                        guard let next = answer.string(of: "syncToken") else {
                            throw BenchmarkError("a page without token: \(answer)")
                        }
                        token = #","syncToken":"\#(next)""#
                        if answer.contains(#""moreComing":false"#) { return }
                    } while true
                }
                try expect(found, count, "records read")
                withExtendedLifetime(server) {}
            },
            .limit("64,000 records/s", seconds: Double(count) / 64_000, target: 1),
        ]
    }

    /// Many clients, each sending a few records at a time to one of fifty zones.
    private static let zones = Benchmark(
        name: "server.zones", summary: "2,000 pushes of 5 records by 16 clients to 50 zones", rounds: 3
    ) { stage in
        let server = try SyncServerProcess(stage.path("server"), onPostgreSQL: true), pushes = stage.rows(2_000)
        let lines = try (0..<16).map { _ in try ServerLine(server.url, user: "zones") }
        for zone in 0..<50 { try makeZone("zone\(zone)", lines[0]) }
        let crowd = Crowd(lines), numbers = Numbers()
        return [
            .ours { stopwatch in
                try stopwatch.measure {
                    try crowd.run(pushes) { line, number in
                        let first = numbers.next.add(5, ordering: .relaxed).oldValue
                        try push(line, "zone\(number % 50)", first..<first + 5)
                    }
                }
                withExtendedLifetime(server) {}
            },
            .limit("1,000 pushes/s", seconds: Double(pushes) / 1_000, target: nil),
        ]
    }

    private static let polls = Benchmark(
        name: "server.polls", summary: "the server's memory with 5,000 devices that wait (MB for s)", rounds: 1,
        warmsUp: false
    ) { stage in
        let server = try SyncServerProcess(stage.path("server"), onPostgreSQL: true), count = stage.rows(5_000)
        return [
            .ours { stopwatch in
                try DescriptorLimit.raise()
                var waiting: [ServerLine] = []
                for number in 0..<count {
                    let line = try ServerLine(server.url, user: "poll\(number / 50)")
                    let token = try line.ask("tokens/create", #"{"apnsEnvironment":"development"}"#)
                    guard let address = token.string(of: "webcourierURL") else {
                        throw BenchmarkError("no address to wait at: \(token)")
                    }
                    try line.listen(address)
                    waiting.append(line)
                }
                try await Task.sleep(for: .seconds(3))
                let memory = Double(try server.peakMemory) / 1e6
                stopwatch.add(wall: memory, processor: memory)
                withExtendedLifetime(waiting) {}
            },
            .limit("300 MB", seconds: 300, target: 1),
        ]
    }

    private static let query = Benchmark(
        name: "server.query", summary: "the median of 200 queries for 20 of 1,000,000 records by an indexed field",
        rounds: 3
    ) { stage in
        let server = try SyncServerProcess(stage.path("server"), onPostgreSQL: true), count = stage.rows(1_000_000)
        let line = try ServerLine(server.url, user: "query")
        try fill(line, "query", 0..<count)
        let groups = max(count / 20, 1)
        func ask(_ group: Int) throws -> Int {
            let filter = #"{"fieldName":"group","comparator":"EQUALS","fieldValue":{"value":\#(group),"type":"INT64"}}"#
            let answer = try line.ask(
                "records/query",
                #"{"zoneID":{"zoneName":"query"},"query":{"recordType":"Contact","filterBy":[\#(filter)]}}"#)
            return answer.occurrences(of: #""recordName":"contact"#)
        }
        // The first query makes the index.
        var isMade = false
        while !isMade {
            do {
                isMade = try ask(0) > 0
            } catch let error as BenchmarkError where "\(error)".contains("TRY_AGAIN_LATER") {
                try await Task.sleep(for: .milliseconds(500))
            }
        }
        return [
            .ours { stopwatch in
                var times: [Double] = []
                for number in 0..<200 {
                    let one = Stopwatch()
                    var found = 0
                    try one.measure { found = try ask(number * 7_919 % groups) }
                    try expect(found, min(20, count), "records of a query")
                    times.append(one.wall)
                }
                let median = times.sorted().quantile(0.5)
                stopwatch.add(wall: median, processor: median)
                withExtendedLifetime(server) {}
            },
            .limit("5 ms", seconds: 0.005, target: 1),
        ]
    }

    private static func makeZone(_ name: String, _ line: ServerLine) throws {
        _ = try line.ask(
            "zones/modify", #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(name)"}}}]}"#)
    }

    /// Fills a new zone, 2,000 records at a time.
    private static func fill(_ line: ServerLine, _ zone: String, _ numbers: Range<Int>) throws {
        try makeZone(zone, line)
        for first in stride(from: 0, to: numbers.count, by: 2_000) {
            try push(line, zone, first..<min(first + 2_000, numbers.count), groups: max(numbers.count / 20, 1))
        }
    }

    private static func push(_ line: ServerLine, _ zone: String, _ numbers: Range<Int>, groups: Int = 50_000) throws {
        let operations = numbers.map { number in
            """
            {"operationType":"create","record":{"recordName":"contact\(number)","recordType":"Contact","fields":{\
            "name":{"value":"name of person \(number)"},"email":{"value":"person\(number)@example.org"},\
            "city":{"value":"city \(number % 1_000)"},"street":{"value":"street \(number % 777), number \(number % 50)"},\
            "age":{"value":\(number % 90),"type":"INT64"},"score":{"value":\(Double(number) * 0.37),"type":"DOUBLE"},\
            "created":{"value":\(number * 60_000),"type":"TIMESTAMP"},"isActive":{"value":\(number % 2),"type":"INT64"},\
            "visits":{"value":\(number * 7),"type":"INT64"},"group":{"value":\(number % groups),"type":"INT64"}}}}
            """
        }
        let answer = try line.ask(
            "records/modify",
            #"{"zoneID":{"zoneName":"\#(zone)"},"atomic":true,"operations":[\#(operations.joined(separator: ","))]}"#)
        guard !answer.contains("serverErrorCode") else { throw BenchmarkError("a push failed: \(answer)") }
    }
}

/// Record numbers, each given once.
private final class Numbers: Sendable {
    let next = Atomic(0)
}

/// Clients that work at the same time, each on a thread and a connection of its own.
private final class Crowd: Sendable {
    // Each thread uses only the connection with its own number.
    nonisolated(unsafe) private let lines: [ServerLine]

    init(_ lines: [ServerLine]) { self.lines = lines }

    /// Does `body` `count` times, each time on a free connection.
    func run(_ count: Int, _ body: @escaping @Sendable (ServerLine, Int) throws -> Void) throws {
        let work = Work(), group = DispatchGroup()
        for index in lines.indices {
            group.enter()
            Thread.detachNewThread { [self] in
                defer { group.leave() }
                while work.failure.withLock({ $0 == nil }) {
                    let number = work.next.add(1, ordering: .relaxed).oldValue
                    guard number < count else { return }
                    do { try body(lines[index], number) } catch { work.failure.withLock { $0 = error } }
                }
            }
        }
        group.wait()
        if let error = work.failure.withLock({ $0 }) { throw error }
    }

    /// The number of the next piece, and the first failure.
    private final class Work: Sendable {
        let next = Atomic(0)
        let failure = Mutex<(any Error)?>(nil)
    }
}
