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
    /// A server, the way to it, and the text that it has of a note.
    private struct Place {
        let line: any Transport
        var options: [StoreOption: any Sendable] = [:]
        /// Whether an unknown token changes the caller's identity.
        var knowsTokens = false
        let text: (_ number: UInt64) async throws -> String?
    }

    @Test("of 10,000 of a server of CloudKit's wire none makes a device trap, go round, or forget what it has not sent")
    func plainServer() async throws {
        try await fuzz(4_000) { random, body in
            var behavior = PlainBehavior()
            behavior.page = Int.random(in: 2...200, using: &random)
            behavior.saysExists = Bool.random(using: &random)
            behavior.failsWhole = Bool.random(using: &random)
            let clock = SystemClock()
            let server = PlainServer(behavior) { clock.milliseconds() }
            try await body(
                Place(line: PlainLine(server: server)) { number in
                    server.records(ofZone: "Backstitch")[key(number).uuidString]?["body"]["value"].text
                })
        }
    }

    @Test("of 2,000 of our own server, with all that it adds, none does either")
    func ownServer() async throws {
        try await fuzz(1_000) { random, body in
            var limits = WireLimits.extended
            limits.page = Int.random(in: 2...200, using: &random)
            try await SyncWorld.run(limits: limits) { world in
                let view = try WireView(world)
                try await view.makeZone()
                let options: [StoreOption: any Sendable] = [.syncServerURL: world.url.absoluteString]
                try await body(
                    Place(line: HTTPTransport(), options: options, knowsTokens: true) { number in
                        guard
                            case .string(let text) = try await view.record(named: key(number).uuidString)?.fields[
                                "body"]
                        else { return nil }
                        return text
                    })
            }
        }
    }

    /// Runs devices, each at a place of its own, until this number of answers was spoilt.
    private func fuzz(
        _ usual: Int,
        at place: (inout SeededGenerator, _ body: (Place) async throws -> Void) async throws -> Void
    ) async throws {
        let seed = Effort.seed ?? 20_261_122, wanted = Effort.size("ANSWERS", usual: usual, whole: 4 * usual)
        print("seed \(seed): BACKSTITCH_SEED=\(seed) make test FILTER=AnswerFuzzTests")
        var random = SeededGenerator(seed: seed)
        var spoilt = 0, rounds = 0
        while spoilt < wanted {
            let seed = random.next()
            var own = SeededGenerator(seed: seed)
            try await place(&own) { spoilt += try await life(seed, at: $0, until: min(500, wanted - spoilt), &rounds) }
        }
        print("counted: \(spoilt) spoilt answers in \(rounds) cycles")
    }

    /// Runs a device until this number of answers was spoilt, and then without faults.
    private func life(_ seed: UInt64, at place: Place, until wanted: Int, _ rounds: inout Int) async throws -> Int {
        var random = SeededGenerator(seed: seed)
        let line = SpoilingLine(place.line, seed: random.next(), spoilsTokens: !place.knowsTokens)
        var settings = SyncEngine.Settings()
        settings.stepRetries = 0
        settings.fruitlessPages = 1_000
        let device = try BareStore(line, place.options, engine: settings)
        var written: [UInt64: (text: String, hasLied: Bool)] = [:]
        while line.state.withLock({ $0.spoilt }) < wanted {
            rounds += 1
            let number = UInt64.random(in: 1...12, using: &random)
            let text = "round \(rounds)"
            // A lie has removed it here and not there. It is made again, and meets the one that was never deleted.
            let isGoneHere = try device.text("body", of: number) == nil
            let isLie = isGoneHere ? try await place.text(number) != nil : false
            try device.write(["body": .string(text)], to: number)
            written[number] = (text, isLie)
            let before = line.state.withLock { state in
                state.hasLied = false
                return state.requests
            }
            var failure: BackstitchError?
            do { try await device.sync() } catch let error as BackstitchError { failure = error }
            let (requests, hasLied) = line.state.withLock { ($0.requests - before, $0.hasLied) }
            try #require(requests < 3_000, "seed \(seed), round \(rounds): \(requests) requests in one cycle")
            try #require(requests > 0, "seed \(seed), round \(rounds): asks the server for nothing, \(failure as Any)")
            for (number, note) in written.sorted(by: { $0.key < $1.key }) {
                if hasLied { written[number]?.hasLied = true }
                if try device.isUnsent(number) {
                    let here = try device.text("body", of: number)
                    let edit = "seed \(seed), round \(rounds), note \(number)"
                    try #require(here == note.text, "\(edit): the unsent edit is lost")
                } else if written[number]?.hasLied == false {
                    let there = try await place.text(number)
                    try #require(
                        there == note.text,
                        "seed \(seed), round \(rounds): the edit of \(number) is sent to nobody")
                }
                // From now on, others may have changed a sent edit, as far as the device can know.
                if try !device.isUnsent(number) { written[number] = nil }
            }
        }
        line.state.withLock { $0.isSpoiling = false }
        try await device.store.sync.blocked.retry()
        _ = try await device.store.sync.syncFromScratch()
        try await device.sync()
        let other = try BareStore(line, place.options)
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
