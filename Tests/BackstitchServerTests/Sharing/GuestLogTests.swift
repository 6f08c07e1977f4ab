import Testing

@testable import BackstitchServer

@Suite("the log of a share, as far as a guest's page needs it") struct GuestLogTests {
    private func entry(_ sequence: Int64) -> StoredVisibility {
        StoredVisibility(share: 1, name: "r\(sequence)", sequence: sequence, history: 1, isGone: false, changed: 0)
    }

    /// Reads on in a log whose commits are these; gives how many rows were looked at.
    private func readOn(_ log: inout GuestLog, _ commits: [Int64]) -> Int {
        let rows = commits.filter { $0 > log.end }
        log.begin()
        for (index, sequence) in rows.enumerated() where !log.take(entry(sequence)) { return index + 1 }
        return rows.count
    }

    @Test("a portion of whole commits is read, twice as much when more is needed, and one row beyond")
    func portions() {
        let commits: [Int64] = [1, 2, 3, 3, 3] + Array(4...100)
        var log = GuestLog(share: 1, after: 0, portion: 3)
        #expect(readOn(&log, commits) == 6 && log.end == 3)
        #expect(log.entries(upTo: 2).map(\.sequence) == [1, 2])
        #expect(readOn(&log, commits) == 7 && log.end == 9)
        #expect(readOn(&log, commits) == 13 && log.end == 21)
        var other = GuestLog(share: 2, after: 0, portion: 3)
        #expect(readOn(&other, [50]) == 1 && other.end == .max)
        #expect(GuestLog.end(of: [log, other]) == 21)
        #expect(other.entries(upTo: 21).isEmpty && log.entries(upTo: 21).count == 23)
    }
}
