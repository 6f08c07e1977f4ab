import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("a save goes as a whole, whatever becomes of requests")
struct WholeSaveTests {
    /// A line to a real server that loses batches, and counts the changes of each.
    private final class Line: Transport {
        private let base: HTTPTransport
        private let isLost: @Sendable (_ attempt: Int, _ changes: Int) -> Bool
        /// The status of an answer in place of one that is lost; nil for none.
        private let refusal: Int?
        let sent = Locked<[Int]>([])

        init(refusal: Int?, isLost: @escaping @Sendable (_ attempt: Int, _ changes: Int) -> Bool) throws {
            base = try HTTPTransport()
            self.refusal = refusal
            self.isLost = isLost
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard request.url.contains("records/modify") else { return try await base.send(request) }
            let changes = try RecordsModifyRequest(wireJSON: request.body).operations.count
            let attempt = sent.withLock { sent in
                sent.append(changes)
                return sent.count
            }
            guard isLost(attempt, changes) else { return try await base.send(request) }
            guard let refusal else { throw TransportError(.timeout, "the answer was lost") }
            return .json("", status: refusal)
        }
    }

    /// Returns the sizes of the batches seen on a line, for notes made in these saves. It tries until all were sent.
    private func batches(
        _ saves: [ClosedRange<UInt64>], tries: Int = 20, refusal: Int? = nil,
        isLost: @escaping @Sendable (_ attempt: Int, _ changes: Int) -> Bool
    ) async throws -> [Int] {
        var sent: [Int] = []
        try await SyncWorld.run { world in
            let line = try Line(refusal: refusal, isLost: isLost)
            let store = try BareStore(line, [.syncServerURL: world.url.absoluteString])
            for save in saves { try store.insert(save) }
            for _ in 0..<tries where try store.isUnsent(saves[saves.count - 1].upperBound) {
                do { try await store.sync() } catch let error as BackstitchError { #expect(error.code == .network) }
            }
            #expect(try !store.isUnsent(saves[saves.count - 1].upperBound))
            sent = line.sent.withLock { $0 }
        }
        return sent
    }

    @Test("lost answers make batches smaller, but tear no save", arguments: HTTPLibrary.allCases)
    func lostAnswers(_ library: HTTPLibrary) async throws {
        let sent = try await HTTPTransport.$library.withValue(library) {
            try await batches([1...3, 4...6, 7...7, 8...13]) { attempt, _ in attempt <= 6 }
        }
        #expect(sent.count > 6, "\(sent)")
        // Each batch ends where a save ends.
        var total = 0
        for count in sent.dropFirst(6) {
            total += count
            #expect([3, 6, 7, 13].contains(total), "\(sent)")
        }
        #expect(total == 13)
    }

    @Test("a save that never goes as a whole, with all the time there is, goes in parts")
    func narrowGate() async throws {
        let sent = try await batches([1...8]) { _, changes in changes > 3 }
        #expect(sent.filter { $0 == 8 }.count == 7, "\(sent)")
        #expect(sent.filter { $0 <= 3 }.reduce(0, +) == 8, "\(sent)")
    }

    @Test("a save that is refused as a whole goes in parts")
    func refusal() async throws {
        let sent = try await batches([1...8, 9...10], refusal: 413) { attempt, changes in attempt < 50 && changes > 3 }
        #expect(sent.count < 15, "\(sent)")
        var ends: [Int] = []
        for count in sent where count <= 3 { ends.append((ends.last ?? 0) + count) }
        #expect(ends.last == 10, "\(sent)")
        // The other save is not cut: its two changes are sent in one batch, with the last of the first save or alone.
        // (The next batch is made while one is under way, so the sizes are not always the same.)
        #expect(!ends.contains(9), "\(sent)")
    }
}
