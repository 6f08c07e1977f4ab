import Backstitch
import BackstitchSupport
import TestSupport
import Testing

@testable import BackstitchServer

/// The order of letting users in. It is counted, so that it also holds on a slow machine.
@Suite("letting in") struct FairGateTests {
    /// Notes who comes in, and keeps them there until it is opened.
    private final class Room: Sendable {
        private struct State {
            var isOpen = false
            var order: [String] = []
            var inside: [String: Int] = [:]
            var most = 0
            var held: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Locked(State())

        /// All who have come in.
        var order: [String] { state.withLock { $0.order } }
        /// How many were inside at the same time.
        var most: Int { state.withLock { $0.most } }

        func inside(_ name: String) -> Int { state.withLock { $0.inside[name, default: 0] } }

        func stay(_ name: String) async {
            state.withLock { state in
                state.order.append(name)
                state.inside[name, default: 0] += 1
                state.most = max(state.most, state.inside.values.reduce(0, +))
            }
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.held.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
            state.withLock { $0.inside[name, default: 0] -= 1 }
        }

        func open() {
            let held = state.withLock { state in
                defer { state.held = [] }
                state.isOpen = true
                return state.held
            }
            for continuation in held { continuation.resume() }
        }
    }

    @Test("users take turns, however much each asks for, and each one's own keep their order")
    func turns() async throws {
        let gate = FairGate(total: 1, perUser: 1), room = Room()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, name) in ["a1", "a2", "a3", "a4", "b1", "b2", "c1"].enumerated() {
                group.addTask { await gate.run(for: String(name.prefix(1))) { await room.stay(name) } }
                #expect(try await eventually { room.order.count + gate.waiting == number + 1 })
            }
            #expect(room.order == ["a1"])
            room.open()
            try await group.waitForAll()
        }
        #expect(room.order == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
        #expect(room.most == 1 && gate.waiting == 0)
    }

    @Test("of one user only so many are inside at a time, and another comes in past those of them that wait")
    func perUser() async throws {
        let gate = FairGate(total: 8, perUser: 3), room = Room()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { await gate.run(for: "m") { await room.stay("m") } } }
            #expect(try await eventually { room.order.count + gate.waiting == 10 })
            #expect(room.inside("m") == 3)
            group.addTask { await gate.run(for: "n") { await room.stay("n") } }
            #expect(try await eventually { room.order.count + gate.waiting == 11 })
            #expect(room.inside("n") == 1)
            room.open()
            try await group.waitForAll()
        }
        #expect(room.order.count == 11 && gate.waiting == 0)
    }

    @Test("no more are inside than there are places, and each place that is given back is there again")
    func places() async throws {
        let gate = FairGate(total: 4, perUser: 3)
        for _ in 0..<2 {
            let room = Room()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in ["m", "m", "m", "n", "n", "n"] {
                    group.addTask { await gate.run(for: user) { await room.stay(user) } }
                }
                #expect(try await eventually { room.order.count + gate.waiting == 6 })
                #expect(room.order.count == 4)
                room.open()
                try await group.waitForAll()
            }
            #expect(room.order.count == 6 && room.most == 4 && gate.waiting == 0)
        }
    }

    @Test("a user's large requests are worked on one at a time, two of all users; small ones do not wait for them")
    func large() async throws {
        let reception = RequestAdmission(
            ledger: UserLedger(UserQuotas(), bytesOfAll: .max), clock: SystemClock())
        let room = Room(), small = 256 << 10, large = small + 1
        try await withThrowingTaskGroup(of: Void.self) { group in
            var count = 0
            func come(_ user: String, _ bytes: Int) async throws {
                count += 1
                let name = "\(user) \(bytes == small ? "small" : "large")"
                group.addTask { try await reception.work(for: user, bytes: bytes) { await room.stay(name) } }
                let seen = try await eventually { [count] in room.order.count + reception.waiting == count }
                #expect(seen)
            }
            for _ in 0..<2 { try await come("m", large) }
            #expect(room.inside("m large") == 1)
            try await come("m", small)
            #expect(room.inside("m small") == 1)
            try await come("n", large)
            #expect(room.inside("n large") == 1)
            try await come("o", large)
            #expect(room.inside("o large") == 0)
            try await come("o", small)
            #expect(room.inside("o small") == 1)
            room.open()
            try await group.waitForAll()
        }
        #expect(room.order.count == 6 && reception.waiting == 0)
    }
}
