import BackstitchTestKit
import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
/// How often the server waits for the disk, counted in a process with counted sync calls.
@Suite struct DurabilityTests {
    /// The numbers of the probe's lines, by their first word.
    private func probe(_ work: String) async throws -> [String: [Int]] {
        try await withFolder { folder in
            let probe = try await TestProcess("DurabilityProbe", [work, folder.path]).ended()
            #expect(probe.status == 0)
            return probe.lines.map { $0.split(separator: " ") }.reduce(into: [:]) { lines, words in
                lines[String(words[0])] = words.dropFirst().compactMap { Int($0) }
            }
        }
    }

    @Test("a push is answered after a sync of its own, and pushes that wait together share one")
    func syncs() async throws {
        let lines = try await probe("server")
        let alone = try #require(lines["alone"])
        #expect(alone[1] >= 1)
        let together = try #require(lines["together"])
        print(
            "counted: at least \(alone[1]) syncs for each of \(alone[0]) pushes; \(together[2]) for \(together[0]) at once"
        )
        #expect(together[1] == 0, "answers before the disk had the commit")
        #expect((1..<together[0]).contains(together[2]))
    }

    @Test("content gets its name after each folder above it is on the disk, whoever has made it")
    func folders() async throws {
        // The content's own folder, with its name in it, and the two folders above, in which new folders are named.
        #expect(try await probe("folders")["folders"] == [3])
    }

    @Test("an upload whose sync fails closes its file once, and leaves none behind")
    func failingUpload() async throws {
        let upload = try #require(try await probe("upload")["upload"])
        #expect(upload[0] >= 500)
        #expect(upload[1] == 0, "descriptors closed that were not open")
        #expect(upload[2] == 0, "files left behind")
    }
}
#endif
