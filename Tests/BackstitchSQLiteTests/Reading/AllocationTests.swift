import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
/// The number of memory allocations for each row. It is a count, not a time, so it is the same on every machine with
/// the same compiler.
@Suite struct AllocationTests {
    /// The known allocations of a row in a debug build. Write lower ones down here.
    private static let known: [String: Double] = [
        "fetch": 6, "dictionaries": 4, "insert": 35.3, "batchInsert": 17.4, "update": 41.1, "lookUp": 11.3,
        "save": 226.3,
    ]

    @Test("no row takes a tenth more allocations than it is known to")
    func counts() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "allocations-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let probe = try TestProcess([folder.path], of: "AllocationProbe").finish()
        #expect(probe.status == 0)
        var found: [String: Double] = [:]
        for words in probe.lines.map({ $0.split(separator: " ") }) where words.count == 2 {
            found[String(words[0])] = Double(words[1])
        }
        #expect(found.keys.sorted() == Self.known.keys.sorted())
        for (workload, allowed) in Self.known {
            let count = try #require(found[workload])
            print("counted: allocations of \(workload): \(count) for each row, \(allowed) known")
            #expect(
                count <= allowed * 1.1 + 0.1,
                "\(workload) takes \(count) allocations for each row; \(allowed) are known. Find what allocates, or write it down"
            )
        }
    }
}
#endif
