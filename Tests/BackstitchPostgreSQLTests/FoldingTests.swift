import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchPostgreSQL

@Suite("folding of text in PostgreSQL")
struct FoldingTests {
    @Test("every scalar folds as in memory, but for those that the server's Unicode does not know yet")
    func scalars() async throws {
        try await onThread {
            let store = try TestDatabase.store()
            defer { try? store.close() }
            // The planes with letters, and the compatibility ideographs, which decompose.
            let ranges: [ClosedRange<UInt32>] = [1...0xD7FF, 0xE000...0x1_FFFF, 0x2_F800...0x2_FA1F]
            let scalars = ranges.joined().compactMap(Unicode.Scalar.init)
            for flags in 1...3 {
                let options = FetchTextOptions(rawValue: flags)
                let series = ranges.map { "SELECT generate_series(\($0.lowerBound), \($0.upperBound)) AS i" }
                    .joined(separator: " UNION ALL ")
                let statement = SQLStatement(
                    .postgreSQL,
                    "SELECT i, f FROM (SELECT i, backstitch_fold(chr(i), \(flags)) AS f FROM (\(series)) AS s OFFSET 0) AS t "
                        + "WHERE f <> chr(i)")
                var stored: [UInt32: String] = [:]
                try store.database.read(isSnapshot: false) { connection in
                    try connection.forEachRow(of: statement) { stored[UInt32($0.int(0))] = $0.text(1) }
                }
                var differing: [Unicode.Scalar] = []
                for scalar in scalars {
                    let text = String(scalar)
                    let found = stored[scalar.value] ?? text
                    if !found.utf8.elementsEqual(TextFolding.fold(text, options).utf8) { differing.append(scalar) }
                }
                // Decompositions of scripts that came with Unicode 15 and 16; the lower-case table is our own.
                let known = differing.filter { ($0.properties.age ?? (99, 0)) <= (14, 0) }
                #expect(known.isEmpty, "\(options): \(known.prefix(20).map { String($0.value, radix: 16) })")
                #expect(options.contains(.diacriticInsensitive) || differing.isEmpty)
            }
        }
    }
}
