import BackstitchTestKit
import Foundation
import Testing

@testable import CloudWire

@Suite struct JSONReaderTests {
    /// Checks a message against the reader's rules without asking anything of it.
    private func check(_ text: String) throws(WireCodingError) {
        try check(Array(text.utf8))
    }

    private func check(_ bytes: [UInt8]) throws(WireCodingError) {
        try JSONReader.read(bytes) { (reader) throws(WireCodingError) in try reader.skip() }
    }

    private func fault(_ text: String) -> WireCodingError? {
        do throws(WireCodingError) {
            try check(text)
            return nil
        } catch { return error }
    }

    @Test(
        "well-formed messages are accepted",
        arguments: [
            "{}", "[]", " { \"a\" : [ 1 , -2.5e+3 , true , false , null , \"x\" ] } ", "\"\\u00e9\\ud83d\\ude00\"",
            "0", "-0", "0.5", "1E5", "[[],[{}]]", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "{\"a\":{\"a\":1},\"b\":{\"a\":1}}",
        ])
    func accepts(_ text: String) throws {
        try check(text)
    }

    @Test(
        "malformed messages are refused with the byte offset",
        arguments: [
            ("", 0), ("{", 1), ("[1,]", 3), ("{\"a\":1,}", 7), ("{\"a\" 1}", 5), ("{a:1}", 1), ("01", 1), ("1.", 2),
            ("-", 1), ("1e", 2), ("+1", 0), (".5", 0), ("tru", 0), ("nul", 0), ("[1 2]", 3), ("{} {}", 3),
            ("\"abc", 4), ("\"a\nb\"", 2), ("\"\\x\"", 1), ("\"\\u12g4\"", 5), ("'a'", 0), ("[1]]", 3), ("NaN", 0),
            ("Infinity", 0), ("\"\\u12\"", 6),
        ])
    func refuses(_ text: String, offset: Int) {
        let error = fault(text)
        #expect(error?.kind == .syntax)
        #expect(error?.offset == offset, "\(text): \(String(describing: error))")
    }

    @Test(
        "duplicate keys are refused at any depth, also when one is escaped",
        arguments: [
            "{\"a\":1,\"a\":2}", "{\"x\":{\"a\":1,\"b\":2,\"a\":3}}", "{\"a\":1,\"\\u0061\":2}", "[{\"\":1,\"\":2}]",
            "{\"abcdefghij\":1,\"b\":{\"abcdefghij\":0},\"abcdefghij\":2}",
        ])
    func duplicateKeys(_ text: String) {
        #expect(fault(text)?.message.hasPrefix("duplicate key") == true)
    }

    @Test("keys that are canonically equivalent but differ in bytes are two keys")
    func unicodeKeys() throws {
        try check("{\"\u{E9}\":1,\"e\u{301}\":2}")
    }

    @Test("an object may have 1024 keys and no more")
    func keyCount() throws {
        let keys = (0..<1025).map { "\"k\($0)\":0" }
        try check("{" + keys.dropLast().joined(separator: ",") + "}")
        #expect(fault("{" + keys.joined(separator: ",") + "}")?.message.contains("1024") == true)
    }

    @Test("nesting is refused beyond 32 levels")
    func depth() throws {
        try check(String(repeating: "[", count: 32) + String(repeating: "]", count: 32))
        #expect(fault(String(repeating: "[", count: 33))?.message.contains("32") == true)
        #expect(fault(String(repeating: "[", count: 2_000_000))?.offset == 32)
    }

    @Test(
        "lone surrogates are refused",
        arguments: ["\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800x\"", "\"\\udc00\\ud800\""])
    func surrogates(_ text: String) {
        #expect(fault(text)?.message.contains("surrogate") == true)
    }

    @Test(
        "malformed UTF-8 is refused at its offset",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
            [0xE2, 0x28, 0xA1],
        ] as [[UInt8]])
    func malformedUTF8(_ sequence: [UInt8]) {
        for padding in [0, 3, 9] {
            let bytes = [0x22] + [UInt8](repeating: 0x61, count: padding) + sequence + [0x22]
            let error = #expect(throws: WireCodingError.self) { try check(bytes) }
            #expect(error?.message == "malformed UTF-8")
            #expect((error?.offset ?? 0) >= 1 + padding)
        }
    }

    @Test("a character that needs an escape is found wherever it stands, between others of one to four bytes")
    func escapesAnywhere() throws {
        for special in ["\"", "\\", "\u{0}", "\u{1F}", "\n", "\u{7F}", "é"] {
            for filler in ["a", "~", "\u{80}", "ÿ", "€", "😀"] {
                for (before, after) in (0..<20).flatMap({ before in (0..<10).map { (before, $0) } }) {
                    let text =
                        String(repeating: filler, count: before) + special + String(repeating: filler, count: after)
                    var writer = JSONWriter()
                    writer.string(text)
                    let json = try writer.finish()
                    // Foundation's reader is a stranger: what it takes is JSON.
                    let theirs = try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)
                    #expect((theirs as? String)?.utf8.elementsEqual(text.utf8) == true, "\(text.debugDescription)")
                    let ours = try JSONReader.read(json) { (reader) throws(WireCodingError) in
                        try reader.readString()
                    }
                    #expect(ours.utf8.elementsEqual(text.utf8), "\(text.debugDescription)")
                }
            }
        }
    }

    @Test("every Unicode scalar survives, raw and escaped")
    func scalars() throws {
        let edges: [UInt32] = [
            0, 0x1F, 0x20, 0x22, 0x5C, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF,
        ]
        for value in edges {
            let scalar = try #require(Unicode.Scalar(value))
            let text = "a\(Character(scalar))b"
            var writer = JSONWriter()
            writer.string(text)
            let raw = try JSONReader.read(try writer.finish()) { (reader) throws(WireCodingError) in
                try reader.readString()
            }
            #expect(Array(raw.utf8) == Array(text.utf8))
            let units = String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            let escaped = "\"a" + units.joined() + "b\""
            let read = try JSONReader.read(Array(escaped.utf8)) { (reader) throws(WireCodingError) in
                try reader.readString()
            }
            #expect(Array(read.utf8) == Array(text.utf8))
        }
    }

    @Test("random damage to a message never crashes the reader and never passes as another message")
    func damage() throws {
        let original = Array(
            "{\"zones\":[{\"zoneID\":{\"zoneName\":\"Z\\u00e9\"},\"syncToken\":null,\"n\":[1,-2.5e3,true]}]}".utf8)
        var generator = SeededGenerator(seed: 0xB5)
        for round in 0..<20_000 {
            var bytes = original
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            if round % 3 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator)) }
            do throws(WireCodingError) {
                try check(bytes)
            } catch {
                #expect((0...bytes.count).contains(error.offset ?? -1))
            }
        }
    }
}
