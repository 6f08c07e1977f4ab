import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
@Suite struct SynchronousTests {
    @Test("under FULL each save waits for the disk; under NORMAL none does, unless it is made durable")
    func syncs() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "syncs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let probe = try TestProcess(["store", folder.path], of: "DurabilityProbe").finish()
        #expect(probe.status == 0)
        #expect(probe.lines == ["FULL 20 1 0", "NORMAL 20 0 1"])
    }
}
#endif
