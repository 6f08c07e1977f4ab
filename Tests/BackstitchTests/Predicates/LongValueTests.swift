import BackstitchSupport
import Foundation
import TestSupport
import Testing

@testable import Backstitch

/// Texts whose own operations in `String` take quadratic time.
@Suite("long values") struct LongValueTests {
    private static let size = 1 << 17

    /// The time of `body` with a text, beside that with as many bytes of letters.
    private func expectLinear(
        _ what: String, _ text: LongText, size: Int = LongValueTests.size,
        _ body: (_ one: String, _ other: String) throws -> Void
    ) rethrows {
        // They differ at the end alone, and have no other form in common.
        let letters = String(repeating: "ж", count: size / 2), long = text.of(size)
        let usual = try threadTime { try body(letters + "a", letters + "b") }
        let spent = try threadTime { try body(long + "a", long + "\u{323}\u{301}") }
        #expect(spent <= .milliseconds(50) + usual * 3, "\(what) of \(text): \(spent), letters \(usual)")
    }

    @Test("values are compared and hashed in the time of as many letters", arguments: LongText.allCases)
    func values(_ text: LongText) {
        expectLinear("values", text) { one, other in
            #expect(Value.string(one) != .string(other) && Value.string(one) == .string(one))
            #expect(Set([Value.string(one), .string(other), .string(one)]).count == 2)
            var groups: [[Value]: Int] = [:]
            for value in [one, other, one] { groups[[.string(value), 1], default: 0] += 1 }
            #expect(groups.count == 2)
        }
    }

    @Test("values of texts are equal by their bytes, and equal ones hash alike")
    func equality() {
        #expect(Value.string("\u{E9}") != .string("e\u{301}"))
        #expect(Set<Value>([.string("\u{E9}"), .string("e\u{301}"), .string("\u{E9}")]).count == 2)
        #expect(Value.string("\u{E9}").hashValue == Value.string("\u{E9}").hashValue)
    }

    @Test("predicates judge in the time of as many letters", arguments: LongText.allCases)
    func predicates(_ text: LongText) throws {
        let bench = try PredicateBench()
        for options in ["", "[c]", "[d]", "[cd]"] {
            for test in ["==", "!=", "<", ">=", "CONTAINS", "BEGINSWITH", "ENDSWITH"] {
                let format = "title \(test)\(options) %@"
                try expectLinear(format, text) { one, other in
                    _ = try bench.holds(format, [other], for: MemorySubject("Note", 1, ["title": .string(one)]))
                }
            }
            let format = "title IN\(options) %@"
            try expectLinear(format, text) { one, other in
                let subject = MemorySubject("Note", 1, ["title": .string(one)])
                let holds = try bench.holds(format, [[other, one]], for: subject)
                #expect(holds)
            }
            for (test, pattern) in [("LIKE", "*x*"), ("MATCHES", ".*x.*")] {
                try expectLinear("\(test)\(options)", text) { one, _ in
                    let subject = MemorySubject("Note", 1, ["title": .string(one)])
                    _ = try bench.holds("title \(test)\(options) %@", [pattern], for: subject)
                }
            }
        }
    }

    @Test("objects are sorted in the time of as many letters", arguments: LongText.allCases)
    func orders(_ text: LongText) throws {
        let bench = try PredicateBench()
        for options in [[], .caseInsensitive, .diacriticInsensitive, .numeric] as [FetchTextOptions] {
            let order = [try FetchSortDescriptor("title", options: options).resolved(for: bench.note, in: bench.model)]
            try expectLinear("order [\(options)]", text) { one, other in
                let subjects = [one, other, one].enumerated().map { number, title in
                    MemorySubject("Note", UInt64(number), ["title": .string(title)])
                }
                let sorted = try order.sorted(subjects)
                #expect(sorted.count == 3)
            }
        }
    }

    @Test("a megabyte of marks is compared, folded, matched and sorted in the time of as many letters")
    func megabyte() throws {
        let bench = try PredicateBench(), size = 1 << 20
        let order = [
            try FetchSortDescriptor("title", options: .diacriticInsensitive).resolved(for: bench.note, in: bench.model)
        ]
        expectLinear("values", .marks, size: size) { one, other in
            #expect(Set([Value.string(one), .string(other), .string(one)]).count == 2)
        }
        for format in ["title == %@", "title ==[d] %@", "title CONTAINS %@", "title MATCHES[d] %@"] {
            try expectLinear(format, .marks, size: size) { one, _ in
                let argument = format.contains("MATCHES") ? ".*x" : "x"
                _ = try bench.holds(format, [argument], for: MemorySubject("Note", 1, ["title": .string(one)]))
            }
        }
        try expectLinear("order", .marks, size: size) { one, other in
            let subjects = [one, other].map { MemorySubject("Note", 1, ["title": .string($0)]) }
            let sorted = try order.sorted(subjects)
            #expect(sorted.count == 2)
        }
    }

    @Test("a text that identifies an object has 4,096 bytes at most, and the error names it")
    func naturalKeys() throws {
        let model = ManagedObjectModel([
            EntityDescription("Book", [.attribute("isbn", .string)]).identified(by: "isbn")
        ])
        let book = try ResolvedModel(model).requireEntity(named: "Book")
        let naturalKey = try book.requireNaturalKey()
        let longest = String(repeating: "é", count: 2_048)
        _ = try book.identifiedKey(naturalKey) { _ in .string(longest) }
        let error = #expect(throws: BackstitchError.self) {
            try book.identifiedKey(naturalKey) { _ in .string(longest + "x") }
        }
        #expect(error?.code == .validation && error?.message.contains("isbn") == true && error?.key == "isbn")
    }
}
