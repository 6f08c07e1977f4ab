import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
import Logging
import Testing

@testable import BackstitchServer

/// A storage in a folder whose disk reports as much room as a test says. So these tests need no disk of their own, as
/// ``FullDiskTests`` do.
@Suite("the room on the disk of a storage")
struct DiskRoomTests {
    private static let mega: Int64 = 1 << 20

    /// Runs `body` with a storage, the free bytes of its disk, and its reserve.
    private func withStorage(
        in folder: URL, free: Int64, _ body: (ZoneStorage, Locked<Int64>, DiskReserve) async throws -> Void
    ) async throws {
        let space = Locked(free)
        let directory = try StorageDirectory(folder, logger: Logger(label: "test")) { space.withLock { $0 } }
        try ZoneStorage.takeSteps(directory.database, notes: StorageDirectory.notes)
        let storage = try ZoneStorage(
            directory.database, runner: ThreadRunner(), assets: AssetFolder(folder.appending(path: "assets")),
            directory: directory, random: SystemServerRandom())
        do { try await body(storage, space, DiskReserve(directory: folder)) } catch {
            try await storage.close()
            throw error
        }
        try await storage.close()
    }

    private func expectFull(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async {
        let failure = await #expect(throws: TransactionFailure.self, sourceLocation: sourceLocation) {
            try await body()
        }
        #expect(failure?.kind == .full, sourceLocation: sourceLocation)
    }

    private static func put(_ size: Int) -> @Sendable (ZoneTransaction) throws -> Void {
        { writing in
            let bytes = [UInt8](repeating: 7, count: size)
            try writing.execute("INSERT INTO setting (name, value) VALUES (\(UUID().uuidString), \(bytes))")
        }
    }

    @Test("below 4 MiB only writes that free space are tried; with more, all of them are")
    func limit() async throws {
        try await withFolder { folder in
            try await withStorage(in: folder, free: 100 * Self.mega) { storage, free, reserve in
                try await storage.requireRoom()
                #expect(reserve.length == DiskReserve.size)
                try await storage.write(Self.put(100))
                free.withLock { $0 = 4 * Self.mega - 100_000 }
                await expectFull { try await storage.requireRoom() }
                let runs = Locked(0)
                await expectFull { try await storage.write { _ in runs.withLock { $0 += 1 } } }
                #expect(runs.withLock { $0 } == 0)
                try await storage.write(frees: true, Self.put(100))
                #expect(reserve.length == DiskReserve.size)
                #expect(try await storage.read { try $0.all("SELECT name FROM setting") { $0.text(0) } }.count == 3)
                free.withLock { $0 = 4 * Self.mega }
                try await storage.write(Self.put(100))
                try await storage.requireRoom()
            }
        }
    }

    @Test("a write notices by itself that the room has ended, and later ones are refused")
    func notices() async throws {
        try await withFolder { folder in
            try await withStorage(in: folder, free: 100 * Self.mega) { storage, free, _ in
                try await storage.requireRoom()
                free.withLock { $0 = 3 * Self.mega }
                try await storage.write(Self.put(100))
                await expectFull { try await storage.write(Self.put(100)) }
            }
        }
    }

    @Test("unused pages of the database count as room, but not for its log")
    func unusedPages() async throws {
        try await withFolder { folder in
            try await withStorage(in: folder, free: 100 * Self.mega) { storage, free, _ in
                try await storage.requireRoom()
                for _ in 0..<6 { try await storage.write(Self.put(1 << 20)) }
                try await storage.write { try $0.execute("DELETE FROM setting WHERE length(value) > 1000") }
                free.withLock { $0 = 0 }
                // The log has these megabytes, and its pages are used again.
                try await storage.requireRoom()
                try await storage.write(Self.put(100))
            }
            try await withStorage(in: folder, free: 2 * Self.mega - 1_000_000) { storage, free, _ in
                // The log begins anew.
                await expectFull { try await storage.requireRoom() }
                free.withLock { $0 = 3 * Self.mega }
                try await storage.requireRoom()
            }
        }
    }

    @Test("a deletion without room gets the reserve; another write does not. The reserve is filled when there is room")
    func reserve() async throws {
        try await withFolder { folder in
            try await withStorage(in: folder, free: 100 * Self.mega) { storage, free, reserve in
                try await storage.requireRoom()
                // SQLite raises a limit below the file's size to that size.
                try await storage.write { try $0.forEachRow(of: "PRAGMA max_page_count = 1") { _ in } }
                await expectFull { try await storage.write(Self.put(1 << 20)) }
                #expect(reserve.length == DiskReserve.size)
                await expectFull { try await storage.write(frees: true, Self.put(1 << 20)) }
                #expect(reserve.length == 0)
                #expect(storage.room.isFull)
                // The reserve has precedence over other writes.
                free.withLock { $0 = 11 * Self.mega }
                await expectFull { try await storage.requireRoom() }
                #expect(reserve.length == 0)
                free.withLock { $0 = 13 * Self.mega }
                try await storage.requireRoom()
                #expect(!storage.room.isFull)
                #expect(reserve.length == DiskReserve.size)
                try await storage.write { try $0.forEachRow(of: "PRAGMA max_page_count = 1000000") { _ in } }
                try await storage.write(Self.put(1 << 20))
            }
        }
    }

    @Test("a start on a full disk gives the reserve up, and fills it again when there is room")
    func start() async throws {
        try await withFolder { folder in
            try await withStorage(in: folder, free: 100 * Self.mega) { storage, _, _ in
                try await storage.requireRoom()
            }
            try await withStorage(in: folder, free: Self.mega) { storage, free, reserve in
                #expect(reserve.length == 0)
                await expectFull { try await storage.requireRoom() }
                await expectFull { try await storage.write(Self.put(100)) }
                try await storage.write(frees: true, Self.put(100))
                free.withLock { $0 = 100 * Self.mega }
                try await storage.requireRoom()
                #expect(reserve.length == DiskReserve.size)
            }
        }
    }

    @Test("a clean-up goes through on a full disk, each of its steps")
    func cleanUp() async throws {
        try await withFolder { folder in
            try await withStorage(in: folder, free: Self.mega) { storage, _, _ in
                await expectFull { try await storage.requireRoom() }
                let service = ZoneService(
                    storage: storage, configuration: ZoneServerConfiguration(storage: .directory(folder)))
                try await CleanUp(service).run()
                try await service.pushTokens.removeEnded()
            }
        }
    }

    @Test("a reserve whose place is taken is a warning, and the storage takes writes")
    func noReserve() async throws {
        try await withFolder { folder in
            try await withStorage(in: folder, free: 100 * Self.mega) { storage, _, reserve in
                try FileManager.default.createDirectory(
                    at: folder.appending(path: "zones.reserve"), withIntermediateDirectories: true)
                try await storage.requireRoom()
                #expect(reserve.length == 0)
                try await storage.write(Self.put(100))
            }
        }
    }
}
