import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
@Suite struct SynchronousTests {
    @Test("a save syncs each file of its bytes once and before its commit, the commit once, and each folder once")
    func content() throws {
        try withProbe("content") { lines, folder in
            let counts = lines.flatMap { $0.split(separator: " ") }.dropFirst().compactMap { Int($0) }
            #expect(counts.prefix(4) == [300, 300, 300, 1], "\(lines)")
            // Those that the files are in, those between, and the store's own.
            let all = try FileManager.default.subpathsOfDirectory(atPath: folder.path).count {
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: folder.path + "/" + $0, isDirectory: &isFolder)
                    && isFolder.boolValue
            }
            let synced = try #require(counts.last)
            #expect(synced > 0 && synced <= all + 1, "\(lines), \(all) folders")
        }
    }

    @Test("under FULL each save waits for the disk; under NORMAL none does, unless it is made durable")
    func syncs() throws {
        try withProbe("store") { lines, _ in #expect(lines == ["FULL 20 1 0", "NORMAL 20 0 1"]) }
    }

    private func withProbe(_ work: String, _ body: ([Substring], URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "syncs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let probe = try TestProcess([work, folder.path], of: "DurabilityProbe").finish()
        #expect(probe.status == 0)
        try body(probe.lines, folder)
    }
}
#endif
