import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchSQLite

@Suite("Processes that die while they save")
struct CrashTests {
    @Test("killed at any moment, a store holds every save that returned, none by half, and is sound", arguments: 0..<12)
    func killed(_ round: Int) throws {
        let fixture = try StoreFixture(.probe)
        let seed = SeededGenerator.seed() &+ UInt64(round)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var saved = 0
        // The later processes go on with what the killed ones left.
        for _ in 0..<2 {
            let more = Int(random.next() % 12)
            let lines = try TestProcess(["save", fixture.file.path]).killWhen {
                ($0.last.flatMap { Int($0) } ?? 0) >= saved + more
            }
            let told = lines.last.flatMap { Int($0) } ?? saved
            #expect(told >= saved, "seed \(seed)")
            saved = try check(fixture, atLeast: told, seed: seed)
        }
    }

    /// How many saves the store holds, after checking that each is whole.
    private func check(_ fixture: StoreFixture, atLeast told: Int, seed: UInt64) throws -> Int {
        let store = try fixture.open(keepsOutbox: true)
        let item = try fixture.entity("Item"), group = try fixture.entity("Group")
        let groups = try store.all(group)
        // One save more may have been written than could be told.
        #expect(groups.count == told || groups.count == told + 1, "seed \(seed): \(groups.count) groups, \(told) told")
        let items = try store.all(item)
        #expect(items.count == groups.count * 20, "seed \(seed)")
        let members = try store.related(
            by: fixture.property("items", of: "Group"), of: group, sources: Array(groups.keys))
        #expect(members.links.count == items.count, "seed \(seed)")
        try store.readJournal { (journal) throws in
            #expect(try journal.lastTransactionNumber() == groups.count, "seed \(seed)")
            #expect(try journal.outboxCounts() == (groups.count * 21, 0), "seed \(seed)")
        }
        #expect(try store.history().count == groups.count * 21, "seed \(seed)")
        for index in 0..<groups.count {
            let reference = try #require(Self.asset(groups.value(index, 1)))
            #expect(try store.assets.read(reference) != nil, "seed \(seed)")
        }
        try store.close()
        let assets = try FileManager.default.subpathsOfDirectory(atPath: fixture.file.path + "-assets")
        #expect(!assets.contains { $0.contains("temporary/") }, "seed \(seed)")
        #expect(try DatabaseFile(url: fixture.file).integrity() == ["ok"], "seed \(seed)")
        return groups.count
    }

    private static func asset(_ value: Value) -> AssetReference? {
        if case .asset(let reference) = value { reference } else { nil }
    }

    @Test("killed while it makes the store, the next process makes or opens it")
    func killedWhileCreating() throws {
        for round in 0..<8 {
            let fixture = try StoreFixture(.probe)
            let process = try TestProcess(["create", fixture.file.path, "\(round * 3)"])
            _ = process.finish()
            let store = try fixture.open(keepsOutbox: true)
            #expect(try store.all(fixture.entity("Item")).count == 0)
            try store.close()
            #expect(try DatabaseFile(url: fixture.file).integrity() == ["ok"])
        }
    }

    @Test(
        "wherever the disk fails during a save, the error says so, nothing of the save is stored, and the store works on"
    )
    func diskFails() throws {
        let fixture = try StoreFixture(.probe)
        let probe = try TestProcess(["limit", fixture.file.path]).finish()
        #expect(probe.status == 0, "\(probe.output)")
        let counts = try #require(probe.lines.last).split(separator: " ").compactMap { Int($0) }
        // Many limits made the save fail, at different writes, and large ones let it through.
        #expect(counts.count == 2 && counts[0] > 20 && counts[1] > 0, "\(probe.output)")
        let store = try fixture.open(keepsOutbox: true)
        #expect(try store.all(fixture.entity("Group")).count == counts[1])
        try store.close()
        #expect(try DatabaseFile(url: fixture.file).integrity() == ["ok"])
    }

    @Test("a store that another process holds locked is an error after the busy timeout")
    func locked() throws {
        let fixture = try StoreFixture(.probe)
        let store = try fixture.open(options: [.sqliteBusyTimeout: 0.05])
        let process = try TestProcess(["hold", fixture.file.path])
        var held = false
        _ = process.killWhen { lines in
            guard lines.contains("held") else { return false }
            held = true
            let error = #expect(throws: BackstitchError.self) {
                try store.save { $0.inserts = [try fixture.rows("Group", fixture.generator.next())] }
            }
            #expect(error?.code == .storeFailure)
            #expect(error?.message.contains("sqliteBusyTimeout") == true)
            // Readers do not wait for writers.
            #expect(throws: Never.self) { try store.all(fixture.entity("Group")) }
            return true
        }
        #expect(held)
        try store.save { $0.inserts = [try fixture.rows("Group", fixture.generator.next())] }
    }
}

extension ManagedObjectModel {
    /// The model of `StoreCrashProbe`.
    static let probe = ManagedObjectModel([
        EntityDescription(
            "Item",
            [
                .attribute("text", .string), .attribute("number", .integer64),
                .toMany("groups", "Group", inverse: "items"),
            ]),
        EntityDescription(
            "Group",
            [
                .attribute("number", .integer64), .attribute("file", .binary, external: true),
                .toMany("items", "Item", inverse: "groups"),
            ]),
    ])
}
