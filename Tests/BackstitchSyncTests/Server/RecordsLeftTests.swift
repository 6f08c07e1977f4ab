import Backstitch
import BackstitchSimulator
import BackstitchSupport
import BackstitchSync
import CloudWire
import TestSupport
import Testing

@Suite("progress of a pull")
struct RecordsLeftTests {
    /// The progress that a device tells while it pulls.
    private func pulls(of device: SyncDevice) async throws -> [SyncProgress] {
        let told = Task { [events = device.sync.events] in
            var told: [SyncProgress] = []
            for await event in events {
                switch event {
                case .progress(let progress) where progress.phase == .pulling: told.append(progress)
                case .finished: return told
                default: break
                }
            }
            return told
        }
        try await device.sync.sync()
        return await told.value
    }

    @Test("a first sync says after each page how many records are left, down to none; a later one needs to say nothing")
    func ofOneZone() async throws {
        let limits = WireLimits(operations: 40, bytes: 1_000_000, page: 50, record: 100_000, asset: 1_000)
        try await SyncWorld.run(limits: limits) { world in
            let a = try world.device(), b = try world.device()
            for _ in 0..<10 {
                try await a.edit { context in for _ in 0..<33 { TestNote(context: context).title = "note" } }
            }
            try await a.sync.sync()
            let progress = try await pulls(of: b)
            #expect(progress.count >= 7)
            for told in progress { #expect(try told.received + #require(told.recordsLeft) == 330) }
            #expect(progress.last?.recordsLeft == 0 && progress.first?.moreComing == true)
            _ = try await a.addNote("later")
            try await a.sync.sync()
            #expect(try await pulls(of: b).map(\.recordsLeft) == [0])
        }
    }

    @Test("zones that are read together are counted together")
    func ofSeveralZones() async throws {
        let limits = WireLimits(operations: 40, bytes: 1_000_000, page: 50, record: 100_000, asset: 1_000)
        try await SyncWorld.run(limits: limits) { world in
            let a = try world.device(), b = try world.device()
            for zone in ["One", "Two", "Three"] { try await a.sync.zones.create(named: zone) }
            for _ in 0..<3 {
                try await a.edit { context in
                    for number in 0..<120 {
                        try context.assign(
                            TestNote(context: context), toZone: ["One", "Two", "Three"][number % 3])
                    }
                }
            }
            try await a.sync.sync()
            let progress = try await pulls(of: b).filter { $0.received > 0 }
            #expect(progress.count >= 2)
            for told in progress { #expect(try told.received + #require(told.recordsLeft) == 360) }
            #expect(progress.last?.recordsLeft == 0)
        }
    }

    @Test("a server that counts more than there can be is not believed")
    func untrue() async throws {
        var behavior = PlainBehavior()
        behavior.page = 10
        try await PlainWorld.run(behavior) { world in
            let a = try world.device(), b = try world.device()
            for number in 0..<25 { _ = try await a.addNote("note \(number)") }
            try await a.sync.sync()
            world.interfere { request, answer in
                guard request.path.contains("changes/zone") else { return nil }
                let body = String(decoding: answer.body, as: UTF8.self).replacing(
                    #""moreComing":true"#, with: #""moreComing":true,"recordsLeft":9223372036854775807"#)
                return .answer(status: answer.status, headers: answer.headers, body: Array(body.utf8))
            }
            let left = try await pulls(of: b).map(\.recordsLeft)
            #expect(left.count >= 3 && left.first.flatMap(\.self).map { $0 < 1 << 50 } == true, "\(left)")
            #expect(try await b.titles().count == 25)
        }
    }

    @Test("a server that does not count leaves it open until the last page")
    func plain() async throws {
        var behavior = PlainBehavior()
        behavior.page = 10
        try await PlainWorld.run(behavior) { world in
            let a = try world.device(), b = try world.device()
            for number in 0..<35 { _ = try await a.addNote("note \(number)") }
            try await a.sync.sync()
            let progress = try await pulls(of: b)
            #expect(progress.dropLast().allSatisfy { $0.recordsLeft == nil && $0.moreComing })
            #expect(progress.count >= 4 && progress.last?.recordsLeft == 0)
        }
    }
}
