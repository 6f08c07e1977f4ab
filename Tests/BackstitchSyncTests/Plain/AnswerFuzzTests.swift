import Backstitch
import BackstitchSimulator
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("answers that were changed at random")
struct AnswerFuzzTests {
    /// Carries requests to a plain server in this process, and spoils answers.
    private final class SpoilingLine: Transport {
        struct State: Sendable {
            var random: SeededGenerator
            var isSpoiling = true
            var requests = 0
            var spoilt = 0
            /// Whether what the server said of pushes may have been a lie.
            var hasLied = false
        }

        let server: PlainServer
        let state: Locked<State>

        init(_ server: PlainServer, seed: UInt64) {
            self.server = server
            state = Locked(State(random: SeededGenerator(seed: seed)))
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let answer = server.answer(.init(request.method, request.url, body: request.body))
            return try state.withLock { state in
                state.requests += 1
                var response = TransportResponse(status: answer.status, headers: answer.headers, body: answer.body)
                guard state.isSpoiling, Int.random(in: 0..<3, using: &state.random) == 0 else { return response }
                state.spoilt += 1
                if request.url.contains("/records/") { state.hasLied = true }
                if Int.random(in: 0..<20, using: &state.random) == 0 {
                    throw TransportError(.unreachable, "the connection broke")
                }
                Spoiler.spoil(&response, &state.random)
                return response
            }
        }
    }

    @Test("of 10,000 none makes a device trap, go round, or forget what it has not sent")
    func fuzz() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["BACKSTITCH_SEED"].flatMap { UInt64($0) } ?? 20_261_122
        let wanted = environment["BACKSTITCH_ANSWERS"].flatMap { Int($0) } ?? 10_000
        print("seed \(seed): BACKSTITCH_SEED=\(seed) make test FILTER=AnswerFuzzTests")
        var random = SeededGenerator(seed: seed)
        var spoilt = 0, rounds = 0
        while spoilt < wanted {
            spoilt += try await life(random.next(), until: min(500, wanted - spoilt), &rounds)
        }
        print("counted: \(spoilt) spoilt answers in \(rounds) cycles")
    }

    private func there(_ number: UInt64, _ server: PlainServer) -> String? {
        server.records(ofZone: "Backstitch")[key(number).uuidString]?["body"]["value"].text
    }

    /// A device and its server until so many answers were spoilt; then all is well again.
    private func life(_ seed: UInt64, until wanted: Int, _ rounds: inout Int) async throws -> Int {
        var random = SeededGenerator(seed: seed)
        var behavior = PlainBehavior()
        behavior.page = Int.random(in: 2...200, using: &random)
        behavior.saysExists = Bool.random(using: &random)
        behavior.failsWhole = Bool.random(using: &random)
        let clock = SystemClock()
        let server = PlainServer(behavior) { clock.milliseconds() }
        let line = SpoilingLine(server, seed: random.next())
        var settings = SyncEngine.Settings()
        settings.stepRetries = 0
        settings.fruitlessPages = 1_000
        let device = try BareStore(line, engine: settings)
        var written: [UInt64: (text: String, hasLied: Bool)] = [:]
        while line.state.withLock({ $0.spoilt }) < wanted {
            rounds += 1
            let number = UInt64.random(in: 1...12, using: &random)
            let text = "round \(rounds)"
            // Gone here and not there, by a lie: it is made again, and meets the one that was there all the time.
            let isLie = try device.text("body", of: number) == nil && there(number, server) != nil
            try device.write(["body": .string(text)], to: number)
            written[number] = (text, isLie)
            let before = line.state.withLock { state in
                state.hasLied = false
                return state.requests
            }
            do { try await device.sync() } catch is BackstitchError {}
            let (requests, hasLied) = line.state.withLock { ($0.requests - before, $0.hasLied) }
            try #require(requests < 3_000, "seed \(seed), round \(rounds): \(requests) requests in one cycle")
            for (number, note) in written.sorted(by: { $0.key < $1.key }) {
                if hasLied { written[number]?.hasLied = true }
                if try device.isUnsent(number) {
                    let here = try device.text("body", of: number)
                    let place = "seed \(seed), round \(rounds), note \(number)"
                    try #require(here == note.text, "\(place): the unsent edit is lost")
                } else if written[number]?.hasLied == false {
                    try #require(
                        there(number, server) == note.text,
                        "seed \(seed), round \(rounds): the edit of \(number) is sent to nobody")
                }
                // An edit that was sent may be changed by others from now on, as far as the device can know.
                if try !device.isUnsent(number) { written[number] = nil }
            }
        }
        line.state.withLock { $0.isSpoiling = false }
        try await device.store.sync.retryBlocked()
        _ = try await device.store.sync.syncFromScratch()
        try await device.sync()
        let other = try BareStore(line)
        try await other.sync()
        let status = try await device.store.sync.status
        #expect(status.pendingCount == 0 && status.blockedCount == 0, "seed \(seed)")
        #expect(try device.count == other.count, "seed \(seed)")
        for number in 1...12 as ClosedRange<UInt64> {
            #expect(try device.text("body", of: number) == other.text("body", of: number), "seed \(seed), \(number)")
        }
        try device.store.close()
        try other.store.close()
        return line.state.withLock { $0.spoilt }
    }
}
