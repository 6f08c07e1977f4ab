import Backstitch
import Foundation
import Testing

@Suite("what predicates mean")
struct PredicateSemanticsTests {
    private let bench: PredicateBench
    private let home: MemorySubject
    private let full: MemorySubject
    private let empty: MemorySubject

    init() throws {
        bench = try PredicateBench()
        home = MemorySubject("Folder", 10, ["name": "Home", "rank": 2])
        let craft = MemorySubject("Tag", 20, ["name": "craft"])
        let shop = MemorySubject("Tag", 21, ["name": "shop"])
        full = MemorySubject(
            "Note", 1,
            [
                "title": "Buy Thread", "size": 5, "copies": 3, "score": 0.1, "ratio": .double(Double(Float(0.1))),
                "price": .decimal(Decimal(canonicalText: "0.1") ?? 0), "done": true,
                "created": .date(Date(milliseconds: 1_700_000_000_000)), "raw": .data(Data([1])),
                "photo": .asset(AssetReference(checksum: "x", size: 1)),
                "serial": .uuid(ObjectKey(high: 1, low: 1).uuid),
                "link": .uri(URL(fileURLWithPath: "/a")), "in": "x",
            ], ["folder": [home], "tags": [craft, shop]])
        empty = MemorySubject("Note", 2)
        home.destinations["notes"] = [full]
        for tag in [craft, shop] { tag.destinations["notes"] = [full] }
    }

    /// For the object with values, and for the one without any.
    private func check(_ format: String, _ arguments: [(any PredicateArgument)?] = [], _ expected: (Bool, Bool)) throws
    {
        #expect(try bench.holds(format, arguments, for: full) == expected.0, "\(format), with values")
        #expect(try bench.holds(format, arguments, for: empty) == expected.1, "\(format), without")
        #expect(try bench.holds("NOT (\(format))", arguments, for: full) == !expected.0, "NOT \(format), with values")
        #expect(try bench.holds("NOT (\(format))", arguments, for: empty) == !expected.1, "NOT \(format), without")
    }

    @Test("nil equals nil, != is the negation of ==, and other comparisons with nil are false")
    func nils() throws {
        try check("title == nil", [], (false, true))
        try check("nil == title", [], (false, true))
        try check("title != nil", [], (true, false))
        try check("size == 5", [], (true, false))
        try check("size != 5", [], (false, true))
        try check("size != 6", [], (true, true))
        try check("size < 9", [], (true, false))
        try check("size > 9", [], (false, false))
        try check("9 >= size", [], (true, false))
        try check("size < nil", [], (false, false))
        try check("size BETWEEN {1, 5}", [], (true, false))
        try check("size BETWEEN {nil, 5}", [], (false, false))
        try check("size BETWEEN {copies, 5}", [], (true, false))
        try check("title CONTAINS ''", [], (true, false))
        try check("title CONTAINS %@", [nil], (false, false))
        try check("title LIKE '*'", [], (true, false))
        try check("title MATCHES '.*'", [], (true, false))
        try check("size IN {5, nil}", [], (true, true))
        try check("size IN {6, nil}", [], (false, true))
        try check("size IN {5}", [], (true, false))
        try check("size IN %@", [nil], (false, false))
        try check("size IN {}", [], (false, false))
        try check("folder.name == nil", [], (false, true))
        try check("folder.name != 'x'", [], (true, true))
        try check("folder.home.name == nil", [], (true, true))
        try check("size == copies", [], (false, true))
        try check("size != copies", [], (true, false))
    }

    @Test("ANY is false, ALL and NONE are true without elements; counts are zero")
    func quantifiers() throws {
        try check("ANY tags.name == 'craft'", [], (true, false))
        try check("ALL tags.name == 'craft'", [], (false, true))
        try check("ALL tags.name IN {'craft', 'shop'}", [], (true, true))
        try check("NONE tags.name == 'craft'", [], (false, true))
        try check("ANY tags.name != 'craft'", [], (true, false))
        try check("ANY tags.name == nil", [], (false, false))
        try check("'craft' IN tags.name", [], (true, false))
        try check("tags.name CONTAINS 'craft'", [], (true, false))
        try check("tags.name CONTAINS[c] 'CRAFT'", [], (true, false))
        try check("ANY tags.name CONTAINS 'ra'", [], (true, false))
        try check("tags.name CONTAINS 'ra'", [], (false, false))
        try check("ANY tags.notes.title BEGINSWITH 'Buy'", [], (true, false))
        try check("ANY tags.notes.folder.home.name == nil", [], (true, false))
        try check("title IN tags.name", [], (false, false))
        try check("ANY tags.name == title", [], (false, false))
        try check("tags.@count == 2", [], (true, false))
        try check("tags.@count == 0", [], (false, true))
        try check("folder.notes.@count >= 1", [], (true, false))
        try check("SUBQUERY(tags, $t, $t.name BEGINSWITH 'c' AND $t.notes.@count == 1).@count == 1", [], (true, false))
        try check("SUBQUERY(tags, $t, $t.name == title OR title == nil).@count == 0", [], (true, true))
        try check(
            "SUBQUERY(tags, $t, SUBQUERY($t.notes, $n, $n.title == title).@count > 0).@count > 1", [], (true, false))
        try check("tags.@count > 1.5", [], (true, false))
    }

    @Test("objects equal by identity, in ==, IN and CONTAINS")
    func objects() throws {
        let tag = try #require(full.destinations["tags"]?.first)
        try check("SELF == %@", [full.objectID], (true, false))
        try check("SELF IN %@", [[empty.objectID, home.objectID].filter { $0.entityName == "Note" }], (false, true))
        try check("folder == %@", [home.objectID], (true, false))
        try check("folder != %@", [home.objectID], (false, true))
        try check("folder == nil", [], (false, true))
        try check("folder IN %@", [[home.objectID]], (true, false))
        try check("tags CONTAINS %@", [tag.objectID], (true, false))
        try check("%@ IN tags", [tag.objectID], (true, false))
        try check("ANY tags == %@", [tag.objectID], (true, false))
        try check("ALL tags IN %@", [[tag.objectID]], (false, true))
        try check("NONE tags IN %@", [Set([tag.objectID])], (false, true))
        try check("ANY folder.notes == SELF", [], (true, false))
        try check("SUBQUERY(folder.notes, $n, $n == SELF).@count == 1", [], (true, false))
    }

    @Test("text compares by its bytes, folded only if asked; each operator in turn")
    func text() throws {
        try check("title == 'buy thread'", [], (false, false))
        try check("title ==[c] 'buy thread'", [], (true, false))
        try check("title !=[c] 'buy thread'", [], (false, true))
        try check("title BEGINSWITH 'Buy' AND title ENDSWITH 'ead' AND title CONTAINS 'y T'", [], (true, false))
        try check("title CONTAINS 'thread'", [], (false, false))
        try check("title CONTAINS[c] 'THREAD'", [], (true, false))
        try check("title LIKE 'Buy ?hread'", [], (true, false))
        try check("title LIKE 'Buy'", [], (false, false))
        try check("title LIKE[c] '*THR*'", [], (true, false))
        try check("title MATCHES 'Buy'", [], (false, false))
        try check("title MATCHES[c] '^b[A-Z]y\\\\s\\\\w+$'", [], (true, false))
        try check("title IN[c] {'BUY THREAD'}", [], (true, false))
        try check("title <[c] 'c'", [], (true, false))
        try check("title > 'Z'", [], (false, false))
        try check("link ENDSWITH 'a'", [], (true, false))
        try check("link == %@", [URL(fileURLWithPath: "/a")], (true, false))
        let composed = MemorySubject("Note", 3, ["title": "Caf\u{E9} 한국"])
        let decomposed = "Cafe\u{301} \u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}"
        #expect(try !bench.holds("title == %@", [decomposed], for: composed))
        #expect(try !bench.holds("title CONTAINS %@", ["Cafe"], for: composed))
        #expect(try bench.holds("title ==[d] %@", [decomposed], for: composed))
        #expect(try bench.holds("title CONTAINS[d] %@", ["Cafe"], for: composed))
        #expect(
            try bench.holds(
                "title BEGINSWITH %@", ["Cafe"], for: MemorySubject("Note", 3, ["title": .string(decomposed)])))
        #expect(
            try bench.holds("title LIKE %@", ["Caf??*"], for: MemorySubject("Note", 3, ["title": .string(decomposed)])))
    }

    @Test("numbers compare exactly across their types")
    func numbers() throws {
        try check("score == 0.1", [], (true, false))
        try check("ratio == 0.1", [], (true, false))
        try check("price == 0.1", [], (true, false))
        try check("price == %@", [0.1], (true, false))
        try check("score == %@", [Decimal(canonicalText: "0.1")], (true, false))
        try check("score == price", [], (true, true))
        try check("ratio > score", [], (true, false))
        try check("size == 5.0", [], (true, false))
        try check("size == 5.5", [], (false, false))
        try check("size != 5.5", [], (true, true))
        try check("size < 5.5 AND size > 4.5 AND size <= 5.1 AND size >= 4.9", [], (true, false))
        try check("size BETWEEN {4.5, 5.5}", [], (true, false))
        try check("size < %@", [Double.infinity], (true, false))
        try check("size > %@", [-Double.infinity], (true, false))
        try check("size < 1e300", [], (true, false))
        try check("size > 99999999999999999999", [], (false, false))
        try check("copies < 100000", [], (true, false))
        try check("size == %@", [Double.nan], (false, true))
        try check("size IN %@", [[5.5, 5.0]], (true, false))
        try check("done == 1", [], (true, false))
        try check("done != NO", [], (true, true))
        let large = MemorySubject(
            "Note", 3, ["size": .int(.max), "score": 0x1p63, "price": .decimal(Decimal(Int64.max))])
        #expect(try bench.holds("size < score AND size == price AND price < score", for: large))
        #expect(try !bench.holds("size == %@", [0x1p63], for: large))
        #expect(try !bench.holds("score == %@", [Int64.max], for: large))
        #expect(try bench.holds("score > %@ AND score >= %@", [Int64.max, Int64.max], for: large))
        let zero = MemorySubject("Note", 4, ["score": -0.0, "ratio": .double(.nan)])
        #expect(try bench.holds("score == 0 AND score IN {0} AND ratio == nil AND NOT ratio < 1", for: zero))
    }

    @Test("dates count in milliseconds, UUIDs and bytes by their bytes, external bytes as there or not")
    func others() throws {
        try check("created == %@", [Date(timeIntervalSince1970: 1_700_000_000.0004)], (true, false))
        try check("created < %@", [Date(timeIntervalSince1970: 1_700_000_000.001)], (true, false))
        try check("serial == %@", [ObjectKey(high: 1, low: 1).uuid], (true, false))
        try check("serial < %@", [ObjectKey(high: 1, low: 2).uuid], (true, false))
        try check("raw == %@", [Data([1])], (true, false))
        try check("raw IN %@", [[Data([2])]], (false, false))
        try check("photo != nil", [], (true, false))
        try check("#in == 'x'", [], (true, false))
        try check("1 == 1 AND 'a' != 'b' AND nil == nil AND 1 IN {1, 2} AND 2 BETWEEN {1.5, 2.5}", [], (true, true))
        try check("%@ == nil", [nil], (true, true))
        try check("'b' LIKE[c] 'B' AND 'abc' CONTAINS 'b'", [], (true, true))
    }
}
