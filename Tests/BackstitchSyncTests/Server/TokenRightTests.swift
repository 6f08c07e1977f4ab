import Backstitch
import BackstitchServer
import BackstitchSync
import TestSupport
import Testing

@Suite("changes that a token which only reads has blocked", .timeLimit(.minutes(3)))
struct TokenRightTests {
    enum Remedy: CaseIterable, Sendable { case credentials, reopening }

    /// A token of a user that only reads.
    private static func reading(_ name: String) -> String { "\(name)-reads-0123456789abcdefghijklmn" }

    private static func addReaders(to configuration: inout ZoneServerConfiguration) {
        for name in ["alice", "bob"] {
            configuration.users.append(
                .init(userRecordName: "_\(name)", webAuthToken: reading(name), isReadOnly: true))
        }
    }

    @Test("are sent with a good token, in each database", arguments: SyncDatabase.allCases, Remedy.allCases)
    func unblocked(_ database: SyncDatabase, _ remedy: Remedy) async throws {
        try await SharedLists.run(configure: { Self.addReaders(to: &$0) }) { lists in
            let (alice, share) = try await lists.club(.bob)
            let user = database == .shared ? "bob" : "alice"
            func open(_ token: String) throws -> SyncDevice {
                try lists.guest(user, "phone", [.syncDatabase: database.rawValue, .syncWebAuthToken: token])
            }
            var device = try open(SharedLists.token(user))
            if database == .shared { try await device.sync.sharing.accept(at: share.url) }
            if database == .public { try await device.sync.following.start(FetchRequest<TestNote>(where: "rank < 10")) }
            try await device.sync.sync()
            device.sync.setCredentials(apiToken: nil, webAuthToken: Self.reading(user))
            let id: ObjectID
            if database == .shared {
                id = try await device.addToFolder("unsent")
            } else {
                id = try await device.add(["title": "unsent", "rank": 1])
            }
            let summary = try await device.sync.sync()
            #expect(summary.blocked.map(\.objectID) == [id] && summary.reverted.isEmpty)
            // The same token once more changes nothing.
            #expect(try await device.sync.sync().sent == 0)
            #expect(try await device.sync.status.blockedCount == 1)
            switch remedy {
            case .credentials:
                device.sync.setCredentials(apiToken: nil, webAuthToken: SharedLists.token(user))
            case .reopening:
                try device.close()
                device = try open(SharedLists.token(user))
            }
            #expect(try await device.sync.sync().sent == 1)
            #expect(try await device.sync.status.blockedCount == 0)
            guard database != .public else { return }
            try await alice.sync.sync()
            #expect(try await alice.titles().contains("unsent"))
        }
    }
}
