import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// A reader that follows a zone by its cursor while others write: the order of sequences must be that of commits.
@Suite struct FeedProbeTests {
    private static let writers = 8
    /// Records of a commit.
    private static let size = 5
    /// Seconds that a probe takes.
    private static let seconds = Double(Effort.size("FEED_SECONDS", usual: 2, whole: 5))

    /// The findings of a reader.
    private struct Reading: Sendable {
        var times: [String: Int] = [:]
        var cutCommits = 0
    }

    private static let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "u")

    @Test(
        "writers who keep their transactions open lose no record, no reader gets one twice or a commit in part",
        arguments: StorageKind.allCases, [1, 3])
    func probe(_ kind: StorageKind, _ zoneCount: Int) async throws {
        let seed = SeededGenerator.seed()
        print("counted: feed probe on \(kind), \(zoneCount) zones, seed \(seed)")
        let names = (0..<zoneCount).map { "Z\($0)" }
        try await kind.withStorage { storage in
            try await storage.write { writing in
                let owner = try writing.makeOwner(Self.key, epoch: 1)
                for name in names { _ = try writing.makeZone(owner, named: name, epoch: 1) }
            }
            let isDone = Locked(false)
            let written = Locked<[String: Set<String>]>([:])
            async let readings = withThrowingTaskGroup(of: (String, Reading).self) { group in
                for name in names {
                    group.addTask { (name, try await Self.follow(name, storage, until: isDone)) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<Self.writers {
                    group.addTask {
                        try await Self.write(writer, names, storage, SeededGenerator(seed: seed &+ UInt64(writer))) {
                            name, records in written.withLock { $0[name, default: []].formUnion(records) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            isDone.withLock { $0 = true }
            let (found, all) = (try await readings, written.withLock { $0 })
            for name in names {
                let reading = try #require(found[name])
                let expected = all[name] ?? []
                let lost = expected.subtracting(reading.times.keys).count
                let twice = reading.times.values.count { $0 > 1 }
                print(
                    "counted: \(name): \(expected.count) records written, \(lost) lost, \(twice) doubled, "
                        + "\(reading.cutCommits) commits cut")
                #expect(!expected.isEmpty)
                #expect(lost == 0 && twice == 0 && reading.cutCommits == 0, "seed \(seed)")
                #expect(Set(reading.times.keys) == expected, "seed \(seed)")
            }
        }
    }

    /// Commits again and again, to one of the zones each time, and holds the transaction open for a moment.
    private static func write(
        _ writer: Int, _ names: [String], _ storage: ZoneStorage, _ generator: SeededGenerator,
        _ note: @Sendable (String, [String]) -> Void
    ) async throws {
        var generator = generator
        let end = ContinuousClock.now + .seconds(seconds)
        var number = 0
        while ContinuousClock.now < end {
            let name = names[Int.random(in: 0..<names.count, using: &generator)]
            let pause = Double.random(in: 0...0.004, using: &generator)
            let records = (0..<size).map { "w\(writer)n\(number)r\($0)" }
            number += 1
            try await storage.write(for: "w\(writer)", bytes: 100) { writing in
                guard let owner = try writing.owner(key), let zone = try writing.zone(owner, named: name) else {
                    throw TestFailure("no zone")
                }
                let locked = try writing.lock(zone)
                _ = try writing.records(locked, named: records)
                let sequence = try writing.advance(locked)
                try writing.insert(records.map { record($0, sequence) }, into: locked)
                Thread.sleep(forTimeInterval: pause)
            }
            note(name, records)
        }
    }

    private static func record(_ name: String, _ sequence: Int64) -> StoredRecord {
        StoredRecord(
            name: name, type: "Item", sequence: sequence, deleted: false, flags: [], created: 1, createdBy: "u",
            createdOn: "d", modified: 1, modifiedBy: "u", parent: nil, fields: Array("{}".utf8))
    }

    /// Reads page after page, and once more after the last commit.
    private static func follow(
        _ name: String, _ storage: ZoneStorage, until isDone: Locked<Bool>
    ) async throws -> Reading {
        var reading = Reading()
        var cursor: Int64 = 0
        while true {
            let wasDone = isDone.withLock { $0 }
            let page = try await storage.read { [cursor] reading in
                guard let owner = try reading.owner(key), let zone = try reading.zone(owner, named: name) else {
                    throw TestFailure("no zone")
                }
                return try reading.page(
                    zone,
                    FeedQuery(cursor: cursor, limit: 10, bytes: 1 << 20, takesLargeCommit: true, reverse: false))
            }
            for record in page.records { reading.times[record.name, default: 0] += 1 }
            let commits = Dictionary(grouping: page.records, by: \.sequence)
            reading.cutCommits += commits.values.count { $0.count != size }
            cursor = page.moreComing ? page.records.last?.sequence ?? cursor : page.zone.head
            if wasDone, !page.moreComing { return reading }
        }
    }
}
