import Backstitch
import Foundation
import Testing

@Suite("folding and patterns")
struct TextFoldingTests {
    @Test(
        "case and marks fold as defined, and nothing else does",
        arguments: [
            ("ÀÉÎ", "c", "àéî"), ("ÀÉÎ", "d", "AEI"), ("ÀÉÎ", "cd", "aei"), ("İI", "c", "ii"), ("İ", "cd", "i"),
            ("ß ẞ", "c", "ß ß"),
            ("ΣΑΣ", "c", "σασ"), ("\u{212A}\u{212B}", "c", "kå"), ("\u{212B}", "d", "A"), ("ǅ", "c", "ǆ"),
            ("𐐀", "c", "𐐨"),
            ("e\u{301}\u{327}", "d", "e"), ("\u{34F}", "d", ""), ("が", "d", "か\u{3099}"),
            ("한", "d", "\u{1112}\u{1161}\u{11AB}"),
            ("가", "d", "\u{1100}\u{1161}"), ("\u{5D0}\u{5BC}\u{5B0}", "d", "\u{5D0}\u{5B0}\u{5BC}"),
            ("Straße", "", "Straße"),
            ("abcXYZ019@[`{", "c", "abcxyz019@[`{"), ("\u{344}", "d", ""), ("ự", "d", "u"), ("Ḁ", "cd", "a"),
            ("ﬁ", "cd", "ﬁ"),
        ])
    func folding(text: String, options: String, expected: String) {
        var set: FetchTextOptions = options.contains("c") ? .caseInsensitive : []
        if options.contains("d") { set.insert(.diacriticInsensitive) }
        #expect(Array(TextFolding.fold(text, set).unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test("the tables agree with the system's for every scalar that it knows")
    func tables() {
        var (decompositions, mappings) = (0, 0)
        for value in UInt32(0x80)...0x2FFFF {
            guard let scalar = Unicode.Scalar(value), scalar.properties.age.map({ $0 <= (15, 0) }) == true else {
                continue
            }
            let lower = scalar.properties.lowercaseMapping.unicodeScalars
            // U+0130 is the one scalar whose full mapping is longer than its simple one.
            let expected = value == 0x130 ? "i" : lower.first ?? scalar
            if TextFolding.lowercase(scalar) != expected { Issue.record("lower case of U+\(String(value, radix: 16))") }
            if expected != scalar { mappings += 1 }
            guard value < 0x3400 || value > 0xD7A3 else { continue }
            let system = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.filter {
                !(0x300...0x36F).contains($0.value)
            }
            let folded = Array(TextFolding.fold(String(scalar), .diacriticInsensitive).unicodeScalars)
            if folded != Array(system) { Issue.record("marks of U+\(String(value, radix: 16))") }
            if folded != [scalar] { decompositions += 1 }
        }
        #expect(mappings > 1_300 && decompositions > 2_000)
        #expect(TextFolding.lowercasePairs.count == 1_462 + 26)
    }

    @Test(
        "LIKE takes ? for one scalar, * for any number, and a backslash for what follows",
        arguments: [
            ("abc", "abc", true), ("abc", "ab", false), ("abc", "a*", true), ("abc", "*c", true), ("abc", "*b*", true),
            ("abc", "a?c", true),
            ("abc", "?", false), ("", "*", true), ("", "", true), ("", "?", false), ("a*c", "a\\*c", true),
            ("abc", "a\\*c", false),
            ("a\\c", "a\\\\c", true), ("[a]", "[a]", true), ("a", "[a]", false), ("aaab", "*a*b", true),
            ("👩‍👩‍👧", "?", false),
            ("👩‍👩‍👧", "?????", true), ("e\u{301}", "?", false), ("\u{E9}", "?", true), ("a\nb", "a?b", true),
            ("mississippi", "m*iss*pi", true),
            ("mississippi", "m*iss*po", false),
        ])
    func like(text: String, pattern: String, expected: Bool) throws {
        #expect(try LikePattern(pattern, []).matches(text) == expected)
    }

    @Test("patterns of LIKE are limited in length and stars")
    func likeLimits() {
        #expect(throws: BackstitchError.self) { try LikePattern(String(repeating: "a*", count: 101), []) }
        #expect(throws: BackstitchError.self) { try LikePattern(String(repeating: "a", count: 10_001), []) }
        #expect(throws: BackstitchError.self) { try LikePattern("a\\", []) }
    }

    @Test(
        "MATCHES understands the common syntax, on whole texts",
        arguments: [
            ("abc", "abc", true), ("abc", "b", false), ("abc", "^abc$", true), ("ab", "a.", true), ("a\n", "a.", false),
            ("", "a*", true),
            ("aaa", "a+", true), ("", "a+", false), ("a", "a?", true), ("aa", "a{2}", true), ("aaa", "a{2}", false),
            ("aaaa", "a{2,}", true),
            ("aaa", "a{1,2}", false), ("a{", "a\\{", true), ("cat", "cat|dog", true), ("dog", "(?:cat|dog)", true),
            ("cg", "(c|d)(t|g)", true),
            ("b", "[abc]", true), ("d", "[^abc]", true), ("-", "[a-]", true), ("]", "[]]", true), ("x", "[^]]", true),
            ("m", "[a-f-z]", false),
            ("7_a", "\\d\\w\\w", true), (" ", "\\s", true), ("é", "\\w", false), ("é", "\\W", true),
            ("5", "[\\D]", false),
            ("\u{E9}", "\\u00e9", true), ("👩", "\\x{1F469}", true), (".", "\\.", true), ("a", "\\.", false),
            ("abab", "(ab)*?", true),
            ("", "", true), ("", "a|", true), ("aXbX", "(?:[ab]X){2}", true), ("}", "}", true), ("\t", "\\t", true),
        ])
    func matches(text: String, pattern: String, expected: Bool) throws {
        #expect(try RegularPattern(pattern, []).matches(text) == expected, "\(pattern)")
    }

    @Test("MATCHES folds text, characters and classes")
    func foldedMatches() throws {
        #expect(try RegularPattern("STRA[SS]E", .caseInsensitive).matches("strase"))
        #expect(try RegularPattern("[A-Z]+", .caseInsensitive).matches("abcXYZ"))
        #expect(try !RegularPattern("[^A-Z]+", .caseInsensitive).matches("abc"))
        #expect(try RegularPattern("\\D+", .caseInsensitive).matches("ABC"))
        #expect(try RegularPattern("cafés?", .diacriticInsensitive).matches("cafe\u{301}"))
        #expect(try RegularPattern("É.*", [.caseInsensitive, .diacriticInsensitive]).matches("Eté"))
        #expect(try RegularPattern("한+", .diacriticInsensitive).matches("한한"))
    }

    @Test(
        "what MATCHES does not understand is an error with a caret",
        arguments: [
            ("(a", 0), ("a)", 1), ("[a", 0), ("*a", 0), ("a**", 2), ("a*+", 2), ("(?=a)", 2), ("(?<n>a)", 2),
            ("\\1", 1), ("\\bx", 1), ("\\p{L}", 1),
            ("[[:alpha:]]", 1), ("a{2,1}", 1), ("a{1001}", 1), ("a{x}", 1), ("a\\", 1), ("a^b", 1), ("a$b", 1),
            ("[b-a]", 4), ("\\u12", 2),
            ("\\x41", 2),
        ])
    func refused(pattern: String, column: Int) throws {
        let error = try #require(#expect(throws: BackstitchError.self) { try RegularPattern(pattern, []) })
        #expect(error.code == .invalidPredicate)
        #expect(
            error.message.hasSuffix("\n  \(pattern)\n" + String(repeating: " ", count: 2 + column) + "^"),
            "\(error.message)")
    }

    @Test("a pattern that comes to too many steps, or nests too deep, is an error")
    func largePatterns() {
        #expect(throws: BackstitchError.self) { try RegularPattern("((a{100}){100}){100}", []) }
        #expect(throws: BackstitchError.self) { try RegularPattern("(((a{1000}){1000}){1000}){1000}", []) }
        #expect(throws: BackstitchError.self) { try RegularPattern(String(repeating: "(", count: 10_000), []) }
    }
}
