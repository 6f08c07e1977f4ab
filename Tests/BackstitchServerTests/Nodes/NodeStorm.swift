import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport

/// Writers, readers and a killer at work on three nodes.
struct NodeStorm: Sendable {
    /// How many write at a time, and how many records each push has.
    static let writers = 8, size = 5
    /// How many pushes there are at least, even if they take longer than the storm shall last.
    static let fewestPushes = 21
    private static let zones = ["Z0", "Z1"]

    private let seed: UInt64
    private let nodes: NodeGroup
    private let state = Locked(State())

    private struct State {
        /// The names of acknowledged records, by zone.
        var written: [String: Set<String>] = [:]
        var pushes = 0
        /// Requests that were sent again after a missing or unavailable answer.
        var repeats = 0
        var kills = 0
        var crashes = 0
        var isDone = false
    }

    init(seed: UInt64) async throws {
        self.seed = seed
        nodes = try await NodeGroup(count: 3)
    }

    func stop() { nodes.stop() }

    /// Lets all work for this many seconds; then readers read to the end.
    func live(seconds: Double) async throws -> NodeReport {
        var first = NodeClient(nodes, seed: seed)
        for zone in Self.zones { try await first.send { try await $0.makeZone(zone) } }
        async let readings = withThrowingTaskGroup(of: NodeReading.self) { group in
            for (number, zone) in Self.zones.enumerated() {
                group.addTask { try await follow(zone, NodeClient(nodes, seed: seed &+ 100 &+ UInt64(number))) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            let end = ContinuousClock.now + .seconds(seconds)
            group.addTask { try await strike(for: seconds) }
            for writer in 0..<Self.writers { group.addTask { try await write(writer, until: end) } }
            try await group.waitForAll()
        }
        state.withLock { $0.isDone = true }
        let found = try await readings
        let end = state.withLock { $0 }
        return NodeReport(
            pushes: end.pushes, repeats: end.repeats, kills: end.kills, crashes: end.crashes,
            readings: found.sorted { $0.zone < $1.zone }.map { reading in
                var reading = reading
                reading.compare(with: end.written[reading.zone] ?? [])
                return reading
            })
    }

    /// Kills a node every two seconds, and crashes the database after a third and after two thirds of the time.
    private func strike(for seconds: Double) async throws {
        var generator = SeededGenerator(seed: seed &+ 1)
        let clock = ContinuousClock(), start = clock.now
        var crashes = [seconds / 3, seconds * 2 / 3], kills = Array(stride(from: 1.0, to: seconds, by: 2))
        while let next = [crashes.first, kills.first].compactMap(\.self).min() {
            try await clock.sleep(until: start + .seconds(next))
            if crashes.first == next {
                crashes.removeFirst()
                try await nodes.crashDatabase()
                state.withLock { $0.crashes += 1 }
            } else {
                kills.removeFirst()
                let node = Int.random(in: 0..<nodes.count, using: &generator)
                nodes.kill(node)
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...500, using: &generator)))
                try await nodes.start(node)
                state.withLock { $0.kills += 1 }
            }
        }
    }

    /// Pushes new records to one of the zones each time, and sends a push again, under its key, until it is answered.
    private func write(_ writer: Int, until end: ContinuousClock.Instant) async throws {
        var generator = SeededGenerator(seed: seed &+ 10 &+ UInt64(writer))
        var client = NodeClient(nodes, seed: seed &+ 50 &+ UInt64(writer))
        var number = 0
        /// A busy machine gets more time, though not for ever.
        func areTooFew() -> Bool {
            ContinuousClock.now < end + .seconds(120) && state.withLock { $0.pushes } < Self.fewestPushes
        }
        while ContinuousClock.now < end || areTooFew() {
            let zone = Self.zones[Int.random(in: 0..<Self.zones.count, using: &generator)]
            let names = (0..<Self.size).map { "w\(writer)n\(number)r\($0)" }
            let key = "w\(writer)n\(number)"
            let results = try await client.send {
                try await $0.modify(names.map { create($0) }, zone: zone, atomic: true, key: key)
            }
            for result in results { _ = try result.record() }
            state.withLock { state in
                state.written[zone, default: []].formUnion(names)
                state.pushes += 1
            }
            number += 1
        }
        state.withLock { $0.repeats += client.repeats }
    }

    /// Reads page after page of a size that fits no commit, and once more after the writers have stopped.
    private func follow(_ zone: String, _ client: NodeClient) async throws -> NodeReading {
        var client = client, reading = NodeReading(zone: zone), token: String?
        while true {
            let wasDone = state.withLock { $0.isDone }
            let page = try await client.send { [token] in try await $0.page(token, zone: zone, limit: 12) }
            reading.take(page.records)
            token = page.syncToken
            guard !page.moreComing else { continue }
            if wasDone { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        let fresh = try await client.send { try await $0.follow(zone: zone).records }
        reading.isSteady = Set(fresh.map(\.recordName)) == Set(reading.times.keys) && fresh.count == reading.times.count
        state.withLock { $0.repeats += client.repeats }
        return reading
    }
}
