import Backstitch
import BackstitchSQLite
import BackstitchTestKit
import GRDBSQLite
import Testing

@Suite("SQLite's keywords as names")
struct KeywordTests {
    /// All keywords of the linked SQLite, in small letters.
    private static let all: [String] = (0..<sqlite3_keyword_count()).compactMap { number in
        var bytes: UnsafePointer<CChar>?
        var length: Int32 = 0
        guard sqlite3_keyword_name(number, &bytes, &length) == SQLITE_OK, let bytes else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(length)), as: UTF8.self).lowercased()
    }

    /// The keywords are tried in parts: a save looks for some keys in all tables, so its time grows with their number.
    private static let parts = 6
    /// `make test` tries one of the parts, and `make campaigns` all.
    private static let tried = Effort.isWhole ? Array(0..<parts) : [Int.random(in: 0..<parts)]

    @Test("each may name all parts of a model", arguments: tried)
    func keywords(part: Int) async throws {
        #expect(Self.all.count > 120 && Self.all.contains("select"))
        let store = StoreUnderTest("SQLite in memory", isDurable: false) { _ in
            PersistentStoreDescription(type: .sqlite)
        }
        let chosen = Self.all.enumerated().filter { $0.offset % Self.parts == part }.map(\.element)
        for conformanceCase in StoreConformance.makeNameCases(of: chosen) {
            try await conformanceCase.run(on: store)
        }
    }
}
