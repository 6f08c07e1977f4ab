import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("what is asked for at once over a slow line")
struct PaceTests {
    /// A connection of this many bytes a second to a real server. Its time is counted and not waited for.
    private final class SlowLine: Transport {
        private let base: HTTPTransport
        private let rate: Int
        let timeouts = Locked(0)

        init(bytesPerSecond rate: Int) throws {
            base = try HTTPTransport()
            self.rate = rate
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let limit = Int(request.timeout) * rate / 1_000
            func late() -> TransportError {
                timeouts.withLock { $0 += 1 }
                return TransportError(.timeout, "the server did not answer within \(request.timeout) ms")
            }
            if request.body.count > limit { throw late() }
            let answer = try await base.send(request)
            if request.body.count + answer.body.count > limit { throw late() }
            return answer
        }
    }

    private func sync(_ store: BareStore) async throws {
        for _ in 0..<60 {
            do {
                try await store.sync()
                return
            } catch let error as BackstitchError { #expect(error.code == .network, "\(error)") }
        }
        Issue.record("it does not come to an end")
    }

    @Test("a link of 64 kbit/s syncs: pages, batches, a large record, and an asset")
    func slowLine() async throws {
        try await SyncWorld.run { world in
            let options: [StoreOption: any Sendable] = [
                .syncServerURL: world.url.absoluteString, .syncRequestTimeout: 30,
            ]
            let upLine = try SlowLine(bytesPerSecond: 8_000), downLine = try SlowLine(bytesPerSecond: 8_000)
            let up = try BareStore(upLine, options), down = try BareStore(downLine, options)
            let text = String(repeating: "word ", count: 300)
            for number in 1...1_500 as ClosedRange<UInt64> {
                try up.write(["title": .string("\(number)"), "body": .string(text)], to: number)
            }
            try up.write(["body": .string(String(repeating: "large", count: 150_000))], to: 2_000)
            let photo = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
            try up.write(["photo": .asset(try up.store.assets.write(photo))], to: 2_001)
            try await sync(up)
            try await sync(down)
            for _ in 0..<20 where try await !down.store.sync.assets.missing().isEmpty {
                try await down.store.sync.assets.retryMissing()
                try await sync(down)
            }
            #expect(try down.count == 1_502)
            #expect(try down.text("body", of: 2_000)?.utf8.count == 750_000)
            #expect(try await down.store.sync.assets.missing().isEmpty)
            let timeouts = [upLine, downLine].map { $0.timeouts.withLock { $0 } }
            print("counted: \(timeouts) requests took too long over 64 kbit/s, each way")
            #expect(timeouts.allSatisfy { (1..<40).contains($0) }, "\(timeouts)")
        }
    }

    @Test("the pace halves down to one, then takes its time, and comes back when that goes well")
    func pace() {
        var pace = RequestAmount()
        #expect(pace.share(of: 2_000) == 2_000)
        var asked: [Int] = []
        for _ in 0..<14 {
            asked.append(pace.share(of: 2_000))
            pace.tookTooLong(pace.share(of: 2_000))
        }
        #expect(asked == [2_000, 1_000, 500, 250, 125, 62, 31, 15, 7, 3, 1, 1, 1, 1])
        #expect(pace.time(30_000) == 16 * 30_000)
        pace.tookTooLong(1)
        #expect(!pace.isExhausted)
        pace.tookTooLong(1)
        #expect(pace.isExhausted && pace.time(30_000) == 64 * 30_000)
        // An amount that is smaller than may be asked for proves nothing.
        for _ in 0..<10_000 { pace.succeeded(0, of: 2_000) }
        #expect(pace.share(of: 2_000) == 1)
        var steps = 0
        while pace != RequestAmount(), steps < 10_000 {
            pace.succeeded(pace.share(of: 2_000), of: 2_000)
            steps += 1
        }
        #expect(pace.share(of: 2_000) == 2_000 && pace.time(30_000) == 30_000)
        #expect(steps < 2_000)
    }

    @Test("a size that took too long again is tried later each time")
    func later() {
        var pace = RequestAmount()
        pace.tookTooLong(8_000)
        var counts: [Int] = []
        for _ in 0..<4 {
            pace.tookTooLong(4_000)
            var count = 0
            while pace.share(of: 8_000) < 4_000, count < 1_000 {
                pace.succeeded(2_000, of: 8_000)
                count += 1
            }
            counts.append(count)
        }
        #expect(counts == [16, 32, 64, 64])
    }

    @Test("small requests that took too long get their usual time again when they go well")
    func smallRequests() {
        var pace = RequestAmount()
        for _ in 0..<6 { pace.tookTooLong(1) }
        for _ in 0..<10_000 { pace.succeeded(1, of: 2_000) }
        #expect(pace.time(30_000) == 30_000)
    }
}
