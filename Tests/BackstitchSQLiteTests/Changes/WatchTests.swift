import Foundation
import TestSupport
import Testing

@testable import BackstitchSQLite

#if os(Linux)
@Suite("The watch on a store's log")
struct WatchTests {
    /// Linux has 128 watchers for all processes of a user unless it is told otherwise, so none may stay for nothing.
    @Test("ends when the store is closed, also while somebody holds the store")
    func closed() async throws {
        let fixture = try StoreFixture()
        let stores = try (0..<200).map { _ in
            let store = try fixture.open()
            try store.close()
            return store
        }
        // Other tests have stores open meanwhile.
        var watchers = 0
        let haveEnded = try await eventually {
            watchers = try Self.watchers()
            return watchers < 60
        }
        #expect(haveEnded, "\(watchers) watchers are left of \(stores.count) closed stores")
        withExtendedLifetime(stores) {}
    }

    /// How many watchers this process has.
    private static func watchers() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            return target == "anon_inode:inotify"
        }
    }
}
#endif
