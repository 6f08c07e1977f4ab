import Backstitch
import BackstitchPostgreSQL
import BackstitchServer
import BackstitchSupport
import BackstitchTestKit
import Foundation
import Logging
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("a server never has a key of a shared zone", .serialized)
struct SharedSecrecyTests {
    private static let control = "canary-control-1234-plain"
    private static let texts = ["canary-shared-4711-schwein", "canary-later-0815-Grüße"]

    /// Over HTTP: Alice shares a zone with Bob and Carol, they read and write, Carol leaves, and Alice writes again.
    private func expectSecrecy(
        _ storage: ZoneServerConfiguration.Storage, _ folders: [URL], beforeLooking: () throws -> Void = {}
    ) async throws {
        let lines = Locked<[String]>([])
        try await SyncWorld.run(configure: {
            $0.storage = storage
            $0.users = SharedLists.users
            $0.logsRequests = true
            $0.logger = Logger(label: "test") { _ in TraceLog(lines: lines) }
            $0.logger.logLevel = .trace
        }) { world in
            let identities = ["alice", "bob", "carol"].reduce(into: [:]) { $0[$1] = ShareIdentity.generated() }
            func device(_ user: String, _ database: SyncDatabase, _ name: String? = nil) throws -> SyncDevice {
                try world.device(
                    name, model: VaultModel.description,
                    [
                        .syncWebAuthToken: SharedLists.token(user), .syncDatabase: database.rawValue,
                        .syncEncryptionKeys: try TestKeys(user),
                        .syncShareIdentity: try #require(identities[user]),
                    ])
            }
            let alice = try device("alice", .private)
            let secret = try await alice.addSecret(Self.texts[0], inZone: "Club")
            try await alice.set(secret, ["label": .string(Self.control)])
            try await alice.sync.sync()
            let share = try await alice.sync.sharing.share(zoneNamed: "Club", participants: [.bob, .carol])
            try await alice.sync.sync()
            let bob = try device("bob", .shared, "phone"), carol = try device("carol", .shared)
            for guest in [bob, carol] { try await guest.sync.sharing.accept(at: share.url) }
            for device in [alice, bob, carol] { try await device.sync.sync() }
            for guest in [bob, carol] { #expect(try await guest.values("text", of: "Secret") == [Self.texts[0]]) }
            try await carol.sync.sharing.leave(zoneNamed: SharedVaults.name)
            try await alice.sync.sync()
            try await bob.sync.sync()
            try await bob.set(secret, ["text": .string(Self.texts[1])])
            try await bob.sync.sync()
            try await alice.sync.sync()
            #expect(try await alice.values("text", of: "Secret") == [Self.texts[1]])
            let keys = try #require(try await alice.sync.services.zoneKeys?.view(of: "Club").view.keys)
            #expect(keys.former.count == 1)
            var secrets = ([keys.current] + keys.former).map { key in
                ("the zone's key \(key.id)", OutsideSearch.forms(of: key.bytes))
            }
            for (user, identity) in identities {
                secrets.append(("the private key of \(user)", OutsideSearch.forms(of: identity.privateKey)))
                secrets.append(("the key of \(user)", OutsideSearch.forms(of: try TestKeys.key(user).bytes)))
            }
            try beforeLooking()
            let texts = Self.texts.map { ($0, OutsideSearch.forms(of: Data($0.utf8))) }
            try OutsideSearch.expectNone(of: secrets + texts, but: Self.control, in: folders, log: lines)
            // A device keeps plaintexts, and no key.
            try OutsideSearch.expectNone(of: secrets, but: Self.texts[1], in: [world.folder(of: "phone")], log: lines)
            // The search finds keys where there are any: the public ones are there.
            let shown = try #require(identities["bob"]).publicKey.wireText
            let files = try folders.flatMap(OutsideSearch.files)
            #expect(files.contains { $0.data.range(of: Data(shown.utf8)) != nil })
        }
    }

    @Test("with SQLite: database, write-ahead log and log at trace level")
    func sqlite() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: ObjectIDGenerator().next().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await expectSecrecy(.directory(folder), [folder])
    }

    @Test("with PostgreSQL: its whole data directory, its log of all statements and log at trace level")
    func postgreSQL() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: ObjectIDGenerator().next().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await onThread {
            try PostgresServer { try $0.configure(["log_statement = 'all'", "log_parameter_max_length = -1"]) }
        }
        defer { server.stop() }
        try await expectSecrecy(
            .database(.postgreSQL(server.url, options: [.postgresPoolSize: 2]), assets: folder),
            [server.folder, folder], beforeLooking: { _ = try server.sql("CHECKPOINT") })
    }
}
