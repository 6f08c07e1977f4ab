import Backstitch
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("Values in a SQLite store")
struct ValueTests {
    private static let digits = "12345678901234567890123456789012345678"

    /// Values of each column of a book, the extremes among them.
    private static let values: [String: [Value]] = [
        "title": [
            "", "a", "a\u{0}b", "\u{0}", "e\u{301}", "\u{E9}", "\u{FEFF}x", "𝄞👩‍👩‍👧", "' \" ; --", "\u{202E}abc",
            .string(String(repeating: "long ", count: 50_000)),
        ],
        "small": [.int(Int64(Int16.min)), 0, -1, .int(Int64(Int16.max))],
        "medium": [.int(Int64(Int32.min)), 0, .int(Int64(Int32.max))],
        "large": [.int(.min), .int(.min + 1), -1, 0, 1, .int(.max - 1), .int(.max)],
        "price": [
            .decimal(Decimal(string: digits)!), .decimal(Decimal(string: "-" + digits)!),
            .decimal(Decimal(string: "0." + digits)!),
            .decimal(0), .decimal(Decimal(string: "0.1")!), .decimal(Decimal(string: "1e127")!),
            .decimal(Decimal(string: "1e-128")!),
        ],
        "ratio": [
            .double(-0.0), 0.0, .double(.infinity), .double(-.infinity), .double(.nan),
            .double(.greatestFiniteMagnitude),
            .double(.leastNonzeroMagnitude), .double(-.leastNormalMagnitude), .double(0.1),
            .double(9_007_199_254_740_992),
            .double(Double(bitPattern: 0x7FF8_0000_0000_1234)), .double(Double(bitPattern: 0xFFF0_0000_0000_0001)), 3.0,
        ],
        "weight": [.double(Double(Float.greatestFiniteMagnitude)), .double(Double(Float(0.1))), .double(-0.0)],
        "isLent": [true, false],
        "printed": [
            .date(Date(milliseconds: 0)), .date(Date(milliseconds: -1)), .date(Date(milliseconds: -62_135_596_800_000)),
            .date(Date(milliseconds: 253_402_300_799_999)), .date(.distantPast), .date(.distantFuture),
        ],
        "token": [.uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000000")!), .uuid(UUID())],
        "page": [.uri(URL(string: "https://example.org/%C3%A9?q=a+b#c")!), .uri(URL(string: "urn:isbn:0451450523")!)],
        "cover": [
            .asset(AssetReference(checksum: "A:b:é", size: 0)), .asset(AssetReference(checksum: "", size: .max)),
        ],
    ]

    private static func isIdentical(_ left: Value, _ right: Value) -> Bool {
        guard case .double(let one) = left, case .double(let other) = right else { return left == right }
        return one.bitPattern == other.bitPattern
    }

    @Test(
        "every attribute's extremes come back bit for bit, inserted and updated, also after reopening",
        arguments: values.keys.sorted())
    func extremes(_ name: String) throws {
        let fixture = try StoreFixture()
        let values = try #require(Self.values[name])
        let book = try fixture.entity("Book")
        let column = try fixture.property(name, of: "Book").slot
        let keys = fixture.keys(values.count)
        var store = try fixture.open()
        try store.save { $0.inserts = [try fixture.rows("Book", zip(keys, values).map { ($0, [name: $1]) })] }
        let inserted = try store.all(book)
        for row in values.indices {
            #expect(Self.isIdentical(inserted.value(row, column), values[row]), "\(values[row].summary)")
        }
        try store.save { $0.updates = [fixture.update(inserted) { [name: values[values.count - 1 - $0]] }] }
        try store.close()
        store = try fixture.open()
        let updated = try store.all(book)
        for row in values.indices {
            #expect(Self.isIdentical(updated.value(row, column), values[values.count - 1 - row]))
            #expect(updated.versions[row] == 2)
        }
        try store.save { $0.updates = [fixture.update(updated) { _ in [name: .null] }] }
        let nulled = try store.all(book)
        #expect(values.indices.allSatisfy { nulled.isNull($0, column) })
    }

    @Test("empty bytes and empty text are not null")
    func emptyIsNotNull() throws {
        let fixture = try StoreFixture()
        let store = try fixture.openInMemory()
        let keys = fixture.keys(3)
        let rows: [(ObjectKey, [String: Value])] = [
            (keys[0], ["inline": .data(Data()), "shape": .data(Data())]), (keys[1], [:]),
            (keys[2], ["inline": .data(Data(0...255)), "shape": .data(Data([0, 0]))]),
        ]
        try store.save { $0.inserts = [try fixture.rows("Bytes", rows)] }
        let stored = try store.all(fixture.entity("Bytes"))
        #expect(stored.values(at: 0) == [.data(Data()), .data(Data())])
        #expect(stored.values(at: 1) == [.null, .null])
        #expect(stored.values(at: 2) == [.data(Data(0...255)), .data(Data([0, 0]))])
    }

    @Test(
        "something that does not belong in a column is an error, not a wrong value",
        arguments: [
            "\"title\" = x'00'", "\"large\" = 'abc'", "\"token\" = x'0011'", "\"ratio\" = 'x'",
            "\"_version\" = 1, \"printed\" = 1.5",
        ])
    func foreignContent(_ assignment: String) throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try store.save { $0.inserts = [try fixture.rows("Book", fixture.generator.next())] }
        try store.close()
        try DatabaseFile(url: fixture.file).execute("UPDATE \"Book\" SET \(assignment)")
        let again = try fixture.open()
        let error = #expect(throws: BackstitchError.self) { try again.all(fixture.entity("Book")) }
        #expect(error?.code == .storeFailure)
    }
}
