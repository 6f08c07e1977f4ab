import Backstitch
import BackstitchPostgreSQL
import BackstitchSQL
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import Foundation
import Logging
import TestSupport
import Testing

/// Devices whose server returns at the same address with a moved or restored storage.
@Suite("servers whose storage was moved or restored by `admin`")
struct MovedServerTests {
    /// The storages that a server at one address has one after the other.
    private final class Host: Sendable {
        let folder: URL
        private let running = Locked<ZoneServer?>(nil)
        private let port = Locked(0)

        init() {
            folder = FileManager.default.temporaryDirectory.appending(
                path: "backstitch-moved-\(ObjectIDGenerator().next().uuidString)")
        }

        func configuration(_ storage: ZoneServerConfiguration.Storage) -> ZoneServerConfiguration {
            var configuration = ZoneServerConfiguration(port: port.withLock { $0 }, storage: storage)
            configuration.shutdownGrace = 1
            configuration.containers = .any
            configuration.logger = Logger(label: "test.server") { _ in SwiftLogNoOpLogHandler() }
            return configuration
        }

        @discardableResult
        func start(_ storage: ZoneServerConfiguration.Storage) async throws -> URL {
            let server = try ZoneServer(configuration: configuration(storage))
            let url = try await server.start()
            port.withLock { $0 = url.port ?? 0 }
            running.withLock { $0 = server }
            return url
        }

        func stop() async throws { try await running.withLock { $0.take() }?.stop() }

        /// A place in PostgreSQL that has nothing.
        func database() async throws -> ZoneServerConfiguration.Storage {
            let url = try await onThread { try PostgresServer.shared.get().url }
            let schema = "moved_\(ObjectIDGenerator().next().uuidString.lowercased())"
            return .database(
                try .postgreSQL(url, options: [.postgresSchema: schema]), assets: folder.appending(path: "shared"))
        }

        func device(_ url: URL) throws -> SyncDevice {
            try SyncDevice(
                options: [
                    .syncServerURL: url.absoluteString, .syncOnSave: false, .syncAutomatically: false,
                    .syncRequestTimeout: 5,
                ], url: nil)
        }
    }

    @Test("after a move nothing is read again, and edits that waited are sent", arguments: [true, false])
    func moved(_ isToPostgreSQL: Bool) async throws {
        let host = Host()
        defer { try? FileManager.default.removeItem(at: host.folder) }
        let directory = ZoneServerConfiguration.Storage.directory(host.folder.appending(path: "zones"))
        let database = try await host.database()
        let (from, to) = isToPostgreSQL ? (directory, database) : (database, directory)
        let url = try await host.start(from)
        let a = try host.device(url), b = try host.device(url)
        let note = try await a.addNote("first")
        try await a.edit { context in
            let with = TestNote(context: context)
            with.title = "with photo"
            with.photo = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        }
        for device in [a, b, a] { try await device.sync.sync() }
        try await host.stop()
        // One edits while there is no server.
        try await b.change(note) { note, _ in note.title = "waited" }
        let moved = try await StorageMaintenance(host.configuration(from)).copy(
            to: StorageMaintenance(host.configuration(to)))
        #expect(moved["record", default: 0] >= 2 && moved["asset"] == 1)
        try await host.start(to)
        // A valid token reads no earlier changes.
        let report = try await a.sync.sync()
        #expect(report.received == 0, "\(report)")
        let dumps = try await converge(b, a)
        #expect(dumps[0] == dumps[1] && dumps[0].contains { $0.contains("waited") })
        let fresh = try host.device(url)
        try await fresh.sync.sync()
        #expect(try await fresh.dump() == dumps[0])
        #expect(try await StorageMaintenance(host.configuration(to)).verify(hashes: true).isGood)
        try await host.stop()
    }

    @Test("after a restore on another database devices send what the backup lacks, without --restored")
    func restored() async throws {
        let host = Host()
        defer { try? FileManager.default.removeItem(at: host.folder) }
        let directory = ZoneServerConfiguration.Storage.directory(host.folder.appending(path: "zones"))
        let backup = host.folder.appending(path: "backup")
        let url = try await host.start(directory)
        let a = try host.device(url), b = try host.device(url)
        let first = try await a.addNote("first")
        for device in [a, b] { try await device.sync.sync() }
        _ = try await StorageMaintenance(host.configuration(directory)).backUp(to: backup)
        // Lost with the server: a note of one device, and an edit of the other.
        _ = try await a.addNote("later")
        try await b.change(first) { note, _ in note.body = "edited later" }
        for device in [a, b, a] { try await device.sync.sync() }
        try await host.stop()
        let database = try await host.database()
        try await StorageMaintenance(host.configuration(database)).restore(from: backup)
        try await host.start(database)
        let dumps = try await converge(a, b)
        #expect(dumps[0] == dumps[1])
        #expect(dumps[0].count == 2 && dumps[0].contains { $0.contains("later") })
        let fresh = try host.device(url)
        try await fresh.sync.sync()
        #expect(try await fresh.dump() == dumps[0])
        #expect(try await StorageMaintenance(host.configuration(database)).verify().isGood)
        try await host.stop()
    }
}
