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
        // In a process of its own: here other tests have stores open.
        let probe = try await TestProcess(["close", fixture.file.path, "20"]).ended()
        #expect(probe.status == 0)
        #expect(probe.lines == ["0"])
    }
}
#endif
