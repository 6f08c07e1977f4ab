import Backstitch
import BackstitchTestKit
import Foundation
import Testing

@Suite("hostile predicates")
struct HostilePredicateTests {
    @Test(
        "nesting beyond reason is an error, not the end of the stack",
        arguments: [
            ("", "(", "size == 1)"), ("", "(", ""), ("", "NOT ", "size == 1"), ("", "!", "size == 1"), ("", "!(", ""),
            ("size IN ", "{", ""),
            ("", "SUBQUERY(tags, $t, ", ""), ("size == ", "(", "1"), ("", "NOT(!", ""),
        ])
    func nesting(start: String, piece: String, end: String) {
        let format = start + String(repeating: piece, count: 10_000) + end
        let error = #expect(throws: BackstitchError.self) { try FetchPredicate(format: format) }
        #expect(error?.code == .invalidPredicate)
        #expect(error?.message.contains("at most 64 levels") == true)
    }

    @Test("predicates as deep as they may be are parsed, resolved, evaluated, encoded and read again")
    func deepest() throws {
        let bench = try PredicateBench()
        let depth = FetchPredicate.maximumDepth
        let format =
            String(repeating: "NOT (", count: depth / 2) + "size == 1" + String(repeating: ")", count: depth / 2)
        let predicate = try FetchPredicate(format: format)
        #expect(try bench.holds(predicate, for: MemorySubject("Note", 1, ["size": 1])))
        let decoded = try JSONDecoder().decode(FetchPredicate.self, from: JSONEncoder().encode(predicate))
        #expect(decoded == predicate)
    }

    @Test("the deepest predicate fits the stack of a secondary thread, 512 KiB on Apple's systems")
    func smallStack() async throws {
        let bench = try PredicateBench()
        let depth = FetchPredicate.maximumDepth
        let format =
            String(repeating: "NOT (", count: depth / 2) + "size == 1" + String(repeating: ")", count: depth / 2)
        let pattern = String(repeating: "(", count: 64) + "a" + String(repeating: ")", count: 64)
        let holds = try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                continuation.resume(
                    with: Result {
                        let predicate = try FetchPredicate(format: format)
                        let decoded = try JSONDecoder().decode(
                            FetchPredicate.self, from: JSONEncoder().encode(predicate))
                        return try decoded == predicate
                            && bench.holds(decoded, for: MemorySubject("Note", 1, ["size": 1]))
                            && RegularPattern(pattern, []).matches("a")
                    })
            }
            thread.stackSize = 512 * 1024
            thread.start()
        }
        #expect(holds)
    }

    @Test("a tree built too deep is an error when it is resolved")
    func deepTree() throws {
        let bench = try PredicateBench()
        var predicate = Key<Int>("size") == 1
        for _ in 0..<1_000 { predicate = .not(predicate) }
        let error = #expect(throws: BackstitchError.self) { try predicate.resolved(for: bench.note, in: bench.model) }
        #expect(error?.code == .invalidPredicate)
    }

    @Test("encoded predicates that are too deep or wrong are an error when they are read")
    func hostileJSON() {
        let deep =
            String(repeating: #"{"not":"#, count: 100_000) + #"{"constant":true}"#
            + String(repeating: "}", count: 100_000)
        let subqueries =
            String(repeating: #"{"left":{"subquery":{"collection":"a","variable":"b","where":"#, count: 10_000)
        for text in [
            deep, subqueries, "{}", "[]", "null", #"{"and":{}}"#,
            #"{"left":{"keyPath":"a"},"operator":"is","right":{"int":1}}"#,
            #"{"left":{"keyPath":"a"},"operator":"equal","right":{"int":1,"bool":true}}"#,
            #"{"left":{"keyPath":"a"},"operator":"equal","right":{"uuid":"x"}}"#,
            #"{"left":{"keyPath":"a"},"operator":"equal","options":"x","right":{"int":1}}"#,
            #"{"left":{"keyPath":"a"},"operator":"equal","right":{"double":"much"}}"#,
        ] {
            #expect(throws: (any Error).self, "\(text.prefix(80))") {
                try JSONDecoder().decode(FetchPredicate.self, from: Data(text.utf8))
            }
        }
    }

    @Test("random texts made of the language's own pieces parse or give an error, and nothing else")
    func randomFormats() throws {
        let seed = SeededGenerator.seed()
        print("predicate formats: BACKSTITCH_SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "(", ")", "{", "}", "[", "]", "AND", "OR", "NOT", "==", "<", "IN", "BETWEEN", "LIKE", "title", "tags", ".",
            "@", "count",
            "%@", "%K", "%d", "%", "$x", "#", "'a'", "'", "\"", "\\", "1", "-", "1e5", "0x", "SUBQUERY", ",", "ANY",
            "NULL", "SELF", "é",
            "\u{0}", "\u{301}", "👩‍👩‍👧", "\n", "[cd]", "TRUEPREDICATE", "!", "&&", "||", "size",
        ]
        let comparisons = [
            ["title", "==", "'a'"], ["ANY", "tags", ".", "name", "LIKE", "[cd]", "%@"],
            ["size", "BETWEEN", "{", "1", ",", "-", "1e5", "}"],
            [
                "SUBQUERY", "(", "tags", ",", "$x", ",", "$x", ".", "name", "==", "NULL", ")", ".", "@", "count", ">",
                "1",
            ],
            ["%K", "IN", "{", "1", ",", "$y", "}"], ["NOT", "(", "size", "<", "1", "OR", "TRUEPREDICATE", ")"],
        ]
        var parsed = 0
        for _ in 0..<20_000 {
            var words = comparisons.randomElement(using: &random) ?? []
            while random.next() % 3 == 0 {
                words += [random.next() % 2 == 0 ? "AND" : "||"] + (comparisons.randomElement(using: &random) ?? [])
            }
            // Half of the formats are damaged in some places.
            while random.next() % 2 == 0, !words.isEmpty {
                let place = Int.random(in: 0..<words.count, using: &random)
                let piece = pieces.randomElement(using: &random) ?? ""
                if random.next() % 2 == 0 { words[place] = piece } else { words.insert(piece, at: place) }
            }
            let format = words.joined(separator: random.next() % 4 == 0 ? "" : " ")
            let arguments = (0..<words.count(where: { $0 == "%@" || $0 == "%K" })).map { _ in "x" }
            do {
                let predicate = try FetchPredicate(format: format, arguments: arguments)
                #expect(
                    try FetchPredicate(format: predicate.description) == predicate, "BACKSTITCH_SEED=\(seed): \(format)"
                )
                parsed += 1
            } catch let error as BackstitchError {
                #expect(error.code == .invalidPredicate)
            }
        }
        #expect((5_000...15_000).contains(parsed), "BACKSTITCH_SEED=\(seed)")
        print("predicate formats: \(parsed) of 20000 parse")
    }

    @Test("patterns that make others take for ever take time in proportion")
    func catastrophicPatterns() throws {
        let bench = try PredicateBench()
        let text = String(repeating: "a", count: 20_000)
        let subject = MemorySubject("Note", 1, ["title": .string(text + "!")])
        let clock = ContinuousClock()
        let start = clock.now
        for format in [
            "title MATCHES '(a+)+'", "title MATCHES '(a|aa)+$'", "title MATCHES '(a*)*b'",
            "title LIKE '*a*a*a*a*a*a*a*a*b'",
        ] { #expect(try !bench.holds(format, for: subject), "\(format)") }
        #expect(clock.now - start < .seconds(60))
    }
}
