import Backstitch
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchSQLite

@Suite("a file that others have open")
struct FilePresenceTests {
    @Test("is no matter while there are none: after a run, a crash and a migration")
    func alone() throws {
        let fixture = try StoreFixture(.probe)
        #expect(try warning(fixture.file) == nil)
        for _ in 0..<2 {
            try PersistentContainer(model: .probe, store: .init(type: .sqlite, url: fixture.file)).close()
        }
        #expect(try warning(fixture.file) == nil)
        // A process that died leaves its shared memory behind.
        _ = try TestProcess(["hold", fixture.file.path]).killWhen { $0.contains("held") }
        #expect(FileManager.default.fileExists(atPath: fixture.file.path + "-shm"))
        #expect(try warning(fixture.file) == nil)
    }

    @Test("is told of another container of this process, on each way to the file, until that one is closed")
    func twice() throws {
        let fixture = try StoreFixture(.probe)
        let container = try PersistentContainer(model: .probe, store: .init(type: .sqlite, url: fixture.file))
        #expect(try warning(fixture.file)?.contains("is already open in this process") == true)
        let link = fixture.file.deletingLastPathComponent().appending(path: "link.sqlite")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: fixture.file)
        #expect(try warning(link)?.contains("share one container") == true)
        try container.close()
        #expect(try warning(fixture.file) == nil)
    }

    #if os(Linux)
    @Test(
        "is told of another process, where this version of SQLite cannot bear that, however many locks there are",
        arguments: [0, 1_000])
    func elsewhere(locks: Int) throws {
        let fixture = try StoreFixture(.probe)
        let file = try FileHandle(forUpdating: try lockedFile(beside: fixture.file))
        defer { try? file.close() }
        let told = Locked<String?>(nil)
        _ = try TestProcess(["hold", fixture.file.path]).killWhen { lines in
            guard lines.contains("held") else { return false }
            lockBytes(locks, of: file)
            told.withLock { $0 = try? warning(fixture.file) }
            return true
        }
        #expect(told.withLock { $0 }?.contains("is open in another process") ?? false == FilePresence.isUnsafe)
        #expect(try warning(fixture.file) == nil)
    }

    private func lockedFile(beside store: URL) throws -> URL {
        let file = store.deletingLastPathComponent().appending(path: "locked")
        try Data().write(to: file)
        return file
    }

    /// Takes as many locks, each of a byte, on all processors: the system lists them by processor, the newest first.
    private func lockBytes(_ count: Int, of file: FileHandle) {
        let descriptor = file.fileDescriptor
        DispatchQueue.concurrentPerform(iterations: count) { index in
            var lock = flock(
                l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: index * 2, l_len: 1, l_pid: 0)
            _ = fcntl(descriptor, F_SETLK, &lock)
        }
    }
    #endif

    private func warning(_ file: URL) throws -> String? { FilePresence(try SQLiteFile(file)).warning }
}
