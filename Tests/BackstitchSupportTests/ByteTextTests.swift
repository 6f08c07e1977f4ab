import BackstitchSupport
import BackstitchTestKit
import Testing

@Suite("texts by their bytes") struct ByteTextTests {
    private static let texts = [
        "", "a", "A", "ab", "b", "\u{E9}", "e\u{301}", "e", "\u{212B}", "\u{C5}", "\u{1F468}\u{200D}\u{1F469}", "\u{0}",
        "\u{0}a",
        String(repeating: "\u{301}\u{323}", count: 40), String(repeating: "\u{323}\u{301}", count: 40),
    ]

    @Test("texts are equal, and have one hash, exactly when their bytes are the same; the order is that of the bytes")
    func order() {
        for left in Self.texts {
            for right in Self.texts {
                let (leftBytes, rightBytes) = (Array(left.utf8), Array(right.utf8))
                #expect(left.isSame(as: right) == (leftBytes == rightBytes))
                #expect((ByteText(left) == ByteText(right)) == (leftBytes == rightBytes))
                #expect(left.isBefore(right) == leftBytes.lexicographicallyPrecedes(rightBytes))
                #expect(left.begins(with: right) == leftBytes.starts(with: rightBytes))
                // A part of a text is not stored as a text is.
                let part = (left + "x").dropLast()
                #expect(part.isSame(as: right) == (leftBytes == rightBytes))
            }
        }
        #expect(Set(Self.texts.map { ByteText($0) }).count == Self.texts.count)
        #expect(Set(Self.texts).count < Self.texts.count)
    }

    @Test("a text is cut between scalars, and says that it was cut")
    func shown() {
        for text in Self.texts {
            for most in 0..<20 {
                let shown = text.shown(most)
                if text.utf8.count <= most {
                    #expect(shown.isSame(as: text))
                } else {
                    #expect(shown.utf8.count <= most + 3 && shown.unicodeScalars.last == "…")
                    #expect(
                        text.begins(
                            with: shown.unicodeScalars.dropLast().reduce(into: "") { $0.unicodeScalars.append($1) }))
                }
            }
        }
    }

    @Test("a word is one of its type, byte by byte, and neither long nor of another alphabet")
    func words() {
        enum Word: String { case one, two = "TWO" }
        #expect(Word(word: "one") == .one && Word(word: "TWO") == .two)
        for other in ["", "One", "two", "one\u{301}", String(repeating: "o", count: 100)] {
            #expect(Word(word: other) == nil)
        }
    }

    @Test("capitals of ASCII alone are made small, and texts are split at bytes")
    func parts() {
        #expect("ABZÉ\u{130}z".asciiLowercased == "abzÉ\u{130}z")
        #expect("Bearer x".begins(withASCII: "bearer ") && !"Bear".begins(withASCII: "bearer "))
        #expect("Bearer x".dropping("bearer ") == "x")
        #expect("a=b=".split(atByte: UInt8(ascii: "="), omittingEmptySubsequences: false) == ["a", "b", ""])
        // A mark behind the sign belongs to it as characters go, and not here.
        #expect("a=\u{301}b".split(atByte: UInt8(ascii: "=")).map { Array($0.utf8) } == [[0x61], [0xCC, 0x81, 0x62]])
    }
}
