import Foundation
import TestSupport
import Testing

#if os(Linux)
@Suite("The watch on a store's log")
struct WatchTests {
    /// Linux has 128 watchers for all processes of a user unless it is told otherwise, so none may stay for nothing.
    @Test("ends when the store is closed, also while somebody holds the store")
    func closed() async throws {
        let fixture = try StoreFixture()
        var counts: [Int] = []
        // In a process of its own: here other tests have stores open. They may have all watchers for a while.
        let wasWatched = try await eventually {
            let probe = try await TestProcess(["close", fixture.file.path, "20"]).ended()
            counts = probe.lines.flatMap { $0.split(separator: " ") }.compactMap { Int($0) }
            try #require(probe.status == 0 && counts.count == 2)
            return counts[0] > 0
        }
        #expect(wasWatched)
        #expect(counts.last == 0)
    }
}
#endif
