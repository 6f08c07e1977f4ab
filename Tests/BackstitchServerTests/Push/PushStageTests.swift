import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// News of commits before devices are told of them. Counted and put in order, so that it holds on a slow machine.
@Suite("news that are still to be told") struct PushStageTests {
    private static func record(_ name: String, bytes: Int = 0) -> RecordChange {
        RecordChange(
            change: .update,
            record: StoredRecord(
                name: name, type: "Item", sequence: 1, deleted: false, flags: [], created: 1, createdBy: "_a",
                createdOn: "2", modified: 1, modifiedBy: "_a", parent: nil, fields: Array(repeating: 0, count: bytes)),
            zone: "Z")
    }

    private static func scope(_ owner: String, device: UInt8? = nil) -> RequestScope {
        let limits = ZoneServerConfiguration(storage: .memory).standardLimits
        return RequestScope(
            container: "iCloud.test", environment: "development", database: database(owner), user: owner, roles: nil,
            mayWrite: true, extensions: false, limits: limits,
            device: device.map { PushTokenKey(tenantID: 1, digest: TokenDigest(of: "\($0)")) }, baseURL: "")
    }

    private static func database(_ owner: String) -> DatabaseKey {
        DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: owner)
    }

    /// The news of a request that has changed a record.
    private static func push(_ owner: String, _ name: String, bytes: Int = 0, device: UInt8? = nil) throws -> StagedPush
    {
        let poke = Poke(zone: "Z", changes: [record(name, bytes: bytes)])
        return try #require(StagedPush.all([poke], scope(owner, device: device)).first)
    }

    private static func names(_ push: StagedPush) -> [String] { push.changes.map(\.record.name) }

    private func waits(_ condition: @escaping @Sendable () -> Bool) async throws {
        #expect(try await eventually(condition))
    }

    @Test("a request goes on while nobody is told yet, and a hundred of one database cost two looks")
    func merged() async throws {
        let stage = PushStage(), telling = HeldTelling(), runner = ThreadRunner()
        await stage.post(try Self.push("a", "first"), runner, tell: telling.tell)
        try await waits { !telling.held.isEmpty }
        for number in 0..<100 { await stage.post(try Self.push("a", "r\(number)"), runner, tell: telling.tell) }
        #expect(telling.told.count == 1 && stage.count == 2)
        telling.open()
        await stage.settle()
        #expect(telling.told.count == 2 && stage.count == 0)
        #expect(Self.names(telling.told[1]) == (0..<100).map { "r\($0)" })
        #expect(telling.told[1].requests == 100 && telling.told[1].zones == ["Z"])
    }

    @Test("the device of several requests is left out, those of different devices are not")
    func devices() throws {
        var push = try Self.push("a", "1", device: 1)
        push.merge(try Self.push("a", "2", device: 1))
        #expect(push.scope.device != nil)
        push.merge(try Self.push("a", "3", device: 2))
        #expect(push.scope.device == nil)
        push.merge(try Self.push("a", "4", device: 2))
        #expect(push.scope.device == nil)
        var other = try Self.push("a", "1", device: 1)
        other.merge(try Self.push("a", "2"))
        #expect(other.scope.device == nil)
        var nobody = try Self.push("a", "1")
        nobody.merge(try Self.push("a", "2", device: 1))
        #expect(nobody.scope.device == nil)
    }

    @Test("news are joined by database: owners by their bytes, and guests apart from the owner")
    func databases() {
        let changes = [Self.record("r")]
        let pokes = [
            Poke(zone: "Y", changes: changes), Poke(zone: "Z"), Poke(zone: "Z"),
            Poke(zone: "Z", audience: .guest("e\u{301}")),
            Poke(zone: "Z", audience: .guest("\u{e9}")), Poke(zone: "Z", audience: .guest("a")),
        ]
        let pushes = StagedPush.all(pokes, Self.scope("a"))
        #expect(pushes.map(\.scope.database.scope) == [.private, .shared, .shared, .shared])
        #expect(
            pushes.map { Array($0.scope.database.owner.utf8) }
                == ["a", "e\u{301}", "\u{e9}", "a"].map { Array($0.utf8) })
        #expect(pushes[0].zones == ["Y", "Z"] && Self.names(pushes[0]) == ["r"])
    }

    @Test("databases take turns, however many news one of them has")
    func turns() async throws {
        var limits = PushStage.Limits()
        (limits.workers, limits.changesOfDatabase) = (1, 1)
        let stage = PushStage(limits), telling = HeldTelling(), runner = ThreadRunner()
        await stage.post(try Self.push("a", "0"), runner, tell: telling.tell)
        try await waits { !telling.held.isEmpty }
        // There is room for one more. The others wait for room, each behind the one before.
        await stage.post(try Self.push("a", "1"), runner, tell: telling.tell)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 2...5 {
                let push = try Self.push("a", "\(number)")
                group.addTask { await stage.post(push, runner, tell: telling.tell) }
                try await waits { stage.posting == number - 1 }
            }
            for owner in ["b", "c"] { await stage.post(try Self.push(owner, "0"), runner, tell: telling.tell) }
            #expect(stage.posting == 4, "others do not wait for the room of one database")
            for count in 1...8 {
                try await waits { telling.told.count == count && telling.held.count == 1 }
                telling.release(telling.held[0])
            }
            try await group.waitForAll()
        }
        #expect(telling.owners == ["a", "b", "c", "a", "a", "a", "a", "a"])
        #expect(telling.told.flatMap(Self.names) == ["0", "0", "0", "1", "2", "3", "4", "5"])
        #expect(telling.mostAtOnce == 1)
    }

    @Test("so many bytes and databases are held, the next request waits, and large news fit alone")
    func bounds() async throws {
        var limits = PushStage.Limits()
        (limits.workers, limits.bytes, limits.databases) = (1, 20_000, 4)
        let stage = PushStage(limits), telling = HeldTelling(), runner = ThreadRunner()
        // More than there is room for.
        await stage.post(try Self.push("large", "0", bytes: 50_000), runner, tell: telling.tell)
        try await waits { !telling.held.isEmpty }
        let small = try Self.push("a", "0")
        async let waiting: Void = stage.post(small, runner, tell: telling.tell)
        try await waits { stage.posting == 1 }
        telling.release("large")
        await waiting
        for owner in ["b", "c", "d"] { await stage.post(try Self.push(owner, "0"), runner, tell: telling.tell) }
        #expect(stage.count == 4 && stage.posting == 0)
        let fifth = try Self.push("e", "0"), known = try Self.push("b", "1")
        async let late: Void = stage.post(fifth, runner, tell: telling.tell)
        try await waits { stage.posting == 1 }
        // It would have room, but the request before it goes first.
        async let later: Void = stage.post(known, runner, tell: telling.tell)
        try await waits { stage.posting == 2 }
        telling.open()
        await late
        await later
        await stage.settle()
        #expect(Set(telling.owners) == ["large", "a", "b", "c", "d", "e"] && stage.count == 0)
    }

    @Test("a look settles what was acknowledged before, and waits neither for later news nor for other databases")
    func settles() async throws {
        let stage = PushStage(), telling = HeldTelling(), runner = ThreadRunner()
        await stage.post(try Self.push("a", "0"), runner, tell: telling.tell)
        await stage.post(try Self.push("b", "0"), runner, tell: telling.tell)
        try await waits { telling.held.count == 2 }
        await stage.post(try Self.push("a", "1"), runner, tell: telling.tell)
        await stage.settle([Self.database("c")])
        let isSettled = Locked(false)
        let settling = Task {
            await stage.settle([Self.database("a")])
            isSettled.withLock { $0 = true }
        }
        telling.release("a")
        try await waits { telling.told.count == 3 && telling.held == ["b", "a"] }
        #expect(!isSettled.withLock { $0 })
        await stage.post(try Self.push("a", "2"), runner, tell: telling.tell)
        telling.open()
        await settling.value
        await stage.settle()
        #expect(stage.count == 0 && telling.told.flatMap(Self.names).count == 4 && !telling.isTwice)
    }

    @Test("a look that is given up waits no longer, and one with a limit says whether all was told")
    func givenUp() async throws {
        let stage = PushStage(), telling = HeldTelling(), runner = ThreadRunner()
        #expect(await stage.settle(within: 60_000, SystemClock()))
        await stage.post(try Self.push("a", "0"), runner, tell: telling.tell)
        let settling = Task { await stage.settle() }
        settling.cancel()
        await settling.value
        #expect(await !stage.settle(within: 10, SystemClock()))
        telling.open()
        #expect(await stage.settle(within: 60_000, SystemClock()))
    }

    @Test("the end drops what waits, lets requests and looks go on, and waits for the telling under way")
    func ends() async throws {
        var limits = PushStage.Limits()
        (limits.workers, limits.changesOfDatabase) = (1, 1)
        let stage = PushStage(limits), telling = HeldTelling(), runner = ThreadRunner()
        await stage.post(try Self.push("a", "0"), runner, tell: telling.tell)
        try await waits { !telling.held.isEmpty }
        await stage.post(try Self.push("b", "0"), runner, tell: telling.tell)
        let third = try Self.push("b", "1")
        async let waiting: Void = stage.post(third, runner, tell: telling.tell)
        try await waits { stage.posting == 1 }
        async let look: Void = stage.settle([Self.database("b")])
        let isEnded = Locked(false)
        async let end: Void = {
            await stage.end()
            isEnded.withLock { $0 = true }
        }()
        await waiting
        await look
        #expect(stage.count == 1 && !isEnded.withLock { $0 })
        telling.open()
        await end
        await stage.post(try Self.push("c", "0"), runner, tell: telling.tell)
        await stage.settle()
        #expect(telling.owners == ["a"] && stage.count == 0)
    }

    /// Posts of many tasks, told after random waits: everything is told once, in its order, within the bounds.
    @Test("whatever comes together, all news are told once and in order", arguments: 0..<12)
    func walks(_ number: Int) async throws {
        let seed = UInt64(number) &* 7_919 &+ UInt64(Date().timeIntervalSince1970)
        var random = SeededGenerator(seed: seed)
        var limits = PushStage.Limits()
        limits.databases = Int.random(in: 1...6, using: &random)
        limits.bytes = Int.random(in: 2_000...30_000, using: &random)
        limits.bytesOfDatabase = Int.random(in: 1_000...20_000, using: &random)
        limits.changesOfDatabase = Int.random(in: 1...10, using: &random)
        limits.workers = Int.random(in: 1...4, using: &random)
        let stage = PushStage(limits), telling = HeldTelling(), runner = ThreadRunner()
        telling.open()
        let owners = (0..<Int.random(in: 1...8, using: &random)).map { "o\($0)" }
        let seeds = owners.map { _ in random.next() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (owner, seed) in zip(owners, seeds) {
                group.addTask {
                    var random = SeededGenerator(seed: seed)
                    for number in 0..<60 {
                        let bytes = Int.random(in: 0...3_000, using: &random)
                        let push = try Self.push(owner, "\(number)", bytes: bytes)
                        await stage.post(push, runner) { push in
                            for _ in 0..<(push.changes.count % 3) { await Task.yield() }
                            await telling.tell(push)
                        }
                        if number % 20 == 19 {
                            await stage.settle([Self.database(owner)])
                            let told = telling.told.filter { $0.scope.database.owner == owner }.flatMap(Self.names)
                            #expect(told == (0...number).map(String.init), "seed \(seed)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        await stage.settle()
        #expect(stage.count == 0 && !telling.isTwice && telling.mostAtOnce <= limits.workers, "seed \(seed)")
        for push in telling.told {
            #expect(push.changes.count <= max(limits.changesOfDatabase, 1), "seed \(seed)")
        }
    }
}
