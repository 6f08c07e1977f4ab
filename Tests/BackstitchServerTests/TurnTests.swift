import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// No user waits long for another's work. It is counted, so that it also holds on a slow machine.
@Suite("turns") struct TurnTests {
    @Test("a line gives each user a turn, and keeps the order of what is one user's")
    func line() {
        var line = TurnLine<Int>()
        for (number, user) in ["a", "a", "a", "b", "c", "b"].enumerated() { line.append(number, of: user) }
        var taken: [Int] = []
        while let next = line.removeNext() { taken.append(next) }
        #expect(taken == [0, 3, 4, 1, 5, 2])
        #expect(line.isEmpty)
        line.append(7, of: "a")
        #expect(line.removeNext() == 7)
    }

    @Test("work on requests that takes all the time it can get keeps nobody from the cores")
    func threads() async throws {
        let clock = SystemClock()
        let reception = RequestAdmission(ledger: UserLedger(UserQuotas(), bytesOfAll: .max), clock: clock)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            // As many as are let in at the same time, less one: three small ones and a large one of a user. The
            // cooperative pool of a machine with fewer cores would have no thread left.
            for (user, bytes) in [("m", 0), ("m", 0), ("m", 0), ("n", 0), ("n", 0), ("n", 0), ("o", 0)] {
                group.addTask { try await reception.work(for: user, bytes: bytes) { gate.wait() } }
            }
            for user in ["m", "n"] {
                group.addTask { try await reception.work(for: user, bytes: 1 << 20) { gate.wait() } }
            }
            #expect(try await eventually { gate.waiting == 9 })
            let other = try await reception.work(for: "alice", bytes: 10) { gate.waiting }
            #expect(other == 9)
            gate.open()
            for try await isOpened in group { #expect(isOpened) }
        }
    }

    /// Holds up threads until it is opened, half a minute at most.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let count = Locked(0)

        var waiting: Int { count.withLock { $0 } }

        /// Gives whether it was opened.
        func wait() -> Bool {
            count.withLock { $0 += 1 }
            let isOpen = semaphore.wait(timeout: .now() + 30) == .success
            count.withLock { $0 -= 1 }
            return isOpen
        }

        func open() { for _ in 0..<waiting { semaphore.signal() } }
    }

    @Test("a request that makes and deletes zones counts them once, and keeps to the quotas")
    func zonesAreCountedOnce() async throws {
        try await withServer({ $0.userQuotas.zones = 20 }) { client, server in
            try await client.makeZone("first")
            let statements = try await StatementCount(server)
            func modify(_ operations: [ZonesModifyRequest.Operation]) async throws -> [WireErrorCode?] {
                let answer: ZonesResponse = try await client.call(
                    .zonesModify, ZonesModifyRequest(operations: operations))
                return answer.zones.map { if case .error(let error) = $0 { error.error.code } else { nil } }
            }
            let made = try await modify((0..<30).map { .init(.create, ZoneID(zoneName: "Z\($0)")) })
            #expect(made.map { $0 == nil } == (0..<30).map { $0 < 19 })
            #expect(Set(made.compactMap { $0 }) == [.quotaExceeded])
            func expectOneCountACommit() {
                let all = statements.takeAll()
                let counts = all.count { $0.contains("count(*) FILTER (WHERE state = 0)") }
                #expect((1...all.count { $0.hasPrefix("COMMIT") }).contains(counts))
            }
            expectOneCountACommit()

            // A live zone is deleted, so there is room for one. Deleted zones are remembered, up to ten times the
            // quota.
            var live = ["first"] + (0..<19).map { "Z\($0)" }
            var refused = 0, round = 0
            while refused == 0, round < 20 {
                let next = (0..<20).map { "R\(round) \($0)" }
                let codes = try await modify(
                    zip(live, next).flatMap { old, new in
                        [.init(.delete, ZoneID(zoneName: old)), .init(.create, ZoneID(zoneName: new))]
                    })
                expectOneCountACommit()
                refused = codes.count { $0 == .quotaExceeded }
                #expect(codes.allSatisfy { $0 == nil || $0 == .quotaExceeded })
                (live, round) = (next, round + 1)
            }
            // Deleted zones whose content is still to be removed count as well.
            let service = try #require(server.state.withLock { $0.service })
            let count = try await service.context.storage.read { reading in
                let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "_development")
                return try reading.zoneCount(try #require(try reading.owner(key)))
            }
            #expect(refused > 0 && round > 2 && count.live == 20 - refused)
            #expect((200...202 + refused).contains(count.all))
        }
    }

    @Test("an upload gets its place while the writer is busy, and is answered after its row is written")
    func uploads() async throws {
        try await withFolder { folder in
            try await withServer({ $0.storage = .directory(folder) }) { client, server in
                try await client.makeZone()
                let service = try #require(server.state.withLock { $0.service })
                let given: AssetUploadResponse = try await client.call(
                    .assetsUpload, AssetUploadRequest(tokens: [.init(recordName: nil, recordType: nil, fieldName: "f")])
                )
                let gate = Gate()
                async let held: Bool = service.context.storage.write { _ in gate.wait() }
                #expect(try await eventually { gate.waiting == 1 })
                let bytes = Array("bytes of an asset".utf8)
                async let sent = client.send(given.tokens[0].url, body: bytes)
                let place = folder.appendingPathComponent("assets/1")
                func files() -> [String] {
                    let found = (try? FileManager.default.subpathsOfDirectory(atPath: place.path)) ?? []
                    return found.filter { $0.contains("/") }
                }
                #expect(try await eventually { files().count == 1 })
                #expect(gate.waiting == 1)
                gate.open()
                #expect(try await held)
                #expect(try await sent.status == 200)
                let kept = try #require(files().first)
                #expect(try Data(contentsOf: place.appendingPathComponent(kept)) == Data(bytes))
                let left = folder.appendingPathComponent("assets/incoming").path
                #expect(try FileManager.default.contentsOfDirectory(atPath: left).isEmpty)
            }
        }
    }
}
