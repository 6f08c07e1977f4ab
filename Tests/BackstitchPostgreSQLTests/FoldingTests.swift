import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import TestSupport
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

    @Test("runs of marks fold as in memory, short and long ones")
    func runs() async throws {
        let seed = SeededGenerator.seed()
        try await onThread {
            let store = try TestDatabase.store()
            defer { try? store.close() }
            var random = SeededGenerator(seed: seed)
            // Marks of many classes, removed ones, one that separates runs, and bases with marks of their own.
            let scalars: [Unicode.Scalar] = [
                "\u{301}", "\u{323}", "\u{34F}", "\u{5B0}", "\u{5BC}", "\u{64B}", "\u{651}", "\u{93C}", "\u{94D}",
                "\u{1DC0}", "\u{1DC2}", "\u{302A}", "\u{302B}", "\u{1D165}", "\u{1E8D0}", "\u{E9}", "\u{1E69}",
                "\u{AC01}",
                "a", "\u{FB1D}",
            ]
            for count in [1, 5, 31, 32, 33, 200] {
                for _ in 0..<20 {
                    let marks = random.once(in: 2) ? scalars : Array(scalars[3..<15])
                    let text = String(String.UnicodeScalarView((0..<count).map { _ in random.pick(marks) }))
                    for flags in 2...3 {
                        let found = try store.texts("SELECT backstitch_fold('\(text)', \(flags))")
                        let expected = TextFolding.fold(text, FetchTextOptions(rawValue: flags))
                        let isEqual = found.first.map { $0.utf8.elementsEqual(expected.utf8) } == true
                        let hexadecimal = text.unicodeScalars.map { String($0.value, radix: 16) }
                        #expect(isEqual, "BACKSTITCH_SEED=\(seed): \(hexadecimal)")
                    }
                }
            }
        }
    }
}
