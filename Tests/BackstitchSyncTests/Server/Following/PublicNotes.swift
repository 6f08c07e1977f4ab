import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

/// A server with a public database, over HTTP, and devices of Alice, of Bob and of a caller without a name.
struct PublicNotes: Sendable {
    let world: SyncWorld

    static func run(
        limits: WireLimits = .extended, configure: (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (PublicNotes) async throws -> Void
    ) async throws {
        try await SyncWorld.run(
            limits: limits,
            configure: { configuration in
                configuration.apiTokens = [TokenDigest(of: token("program"))]
                configuration.users = ["alice", "bob"].map {
                    ZoneServerConfiguration.User(userRecordName: "_\($0)", webAuthToken: token($0))
                }
                configure(&configuration)
            }
        ) { try await body(PublicNotes(world: $0)) }
    }

    static func token(_ name: String) -> String { "\(name)-0123456789abcdefghijklmnop" }

    /// A device with a store of the public database.
    ///
    /// - Parameters:
    ///   - user: The user of the device; nil for a caller without a name.
    ///   - name: The name for opening it again; nil for one in memory.
    func device(
        _ user: String?, _ name: String? = nil, automatic: Bool = false, policy: ConflictResolutionPolicy = .serverWins,
        _ more: [StoreOption: any Sendable] = [:]
    ) throws -> SyncDevice {
        var options: [StoreOption: any Sendable] = [
            .syncDatabase: "public", .syncAPIToken: Self.token("program"),
        ]
        options[.syncWebAuthToken] = user.map(Self.token)
        return try world.device(name, policy: policy, automatic: automatic, options.merging(more) { $1 })
    }

    /// A device of a user that follows the notes below rank 10, and has read them.
    func reader(
        _ user: String?, _ name: String? = nil, policy: ConflictResolutionPolicy = .serverWins
    ) async throws -> SyncDevice {
        let device = try device(user, name, policy: policy)
        try await device.sync.following.start(Self.low)
        try await device.sync.sync()
        return device
    }

    static var low: FetchRequest<TestNote> { get throws { try FetchRequest<TestNote>(where: "rank < 10") } }
}

extension SyncDevice {
    /// Makes notes with these titles and ranks, in one save.
    @discardableResult
    func publish(_ notes: KeyValuePairs<String, Int>) async throws -> [ObjectID] {
        let notes = notes.map { ($0.key, $0.value) }
        return try await edit { context in
            notes.map { title, rank in
                let note = TestNote(context: context)
                (note.title, note.rank) = (title, rank)
                return note.objectID
            }
        }
    }

    func followedStates() async throws -> [FollowedRequest.State] { try await sync.following.requests().map(\.state) }
}
