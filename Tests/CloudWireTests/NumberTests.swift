import BackstitchTestKit
import Testing

@testable import CloudWire

@Suite struct NumberTests {
    private func field(_ json: String) throws(WireCodingError) -> WireField {
        try JSONReader.read(Array(json.utf8)) { (reader) throws(WireCodingError) in try WireField.read(from: &reader) }
    }

    private func written(_ value: WireValue, asStrings: Bool = false) throws -> String {
        var writer = JSONWriter()
        writer.numbersAsStrings = asStrings
        value.write(to: &writer, field: "f")
        return String(decoding: try writer.finish(), as: UTF8.self)
    }

    @Test(
        "whole numbers are exact over the whole range",
        arguments: [
            Int64.min, -9_223_372_036_854_775_807, -9_007_199_254_740_993, -1, 0, 1, 9_007_199_254_740_993, Int64.max,
        ])
    func int64(_ value: Int64) throws {
        for strings in [false, true] {
            #expect(try field(written(.int64(value), asStrings: strings)).value == .int64(value))
            #expect(try field(written(.timestamp(value), asStrings: strings)).value == .timestamp(value))
        }
        #expect(try field("{\"value\":\(value)}").value == .int64(value))
    }

    @Test(
        "whole numbers out of range, or with a fraction, are refused",
        arguments: [
            "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1.0", "1e3", "\"1.5\"", "\"\"",
            "99999999999999999999999999",
        ])
    func int64Refused(_ text: String) {
        for type in ["INT64", "TIMESTAMP"] {
            let error = #expect(throws: WireCodingError.self) { try field("{\"type\":\"\(type)\",\"value\":\(text)}") }
            #expect(error?.kind == .value)
        }
    }

    @Test(
        "doubles come back bit for bit",
        arguments: [
            0.0, -0.0, 0.1, 0.3333333333333333, .pi, .greatestFiniteMagnitude, .leastNormalMagnitude,
            .leastNonzeroMagnitude,
            -1.7976931348623157e308, 5e-324, 9007199254740993, 1e22, 1e23, 123456789012345680, 2.2250738585072011e-308,
        ])
    func double(_ value: Double) throws {
        for strings in [false, true] {
            guard case .double(let back)? = try field(written(.double(value), asStrings: strings)).value else {
                Issue.record("no double for \(value)")
                return
            }
            #expect(back.bitPattern == value.bitPattern)
        }
    }

    @Test("random doubles come back bit for bit")
    func randomDoubles() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<50_000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            guard case .double(let back)? = try field(written(.double(value))).value else {
                Issue.record("no double for \(value)")
                return
            }
            #expect(back.bitPattern == value.bitPattern)
        }
    }

    @Test("the quick way and the exact way of reading a decimal agree")
    func decimals() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<50_000 {
            let digits = generator.next() >> UInt64.random(in: 0..<60, using: &generator)
            let text = "\(digits)e\(Int.random(in: -40...40, using: &generator))"
            guard case .double(let value)? = try field("{\"type\":\"DOUBLE\",\"value\":\(text)}").value else {
                Issue.record("no double for \(text)")
                return
            }
            #expect(value.bitPattern == Double(text)?.bitPattern, "\(text)")
        }
    }

    @Test("doubles out of range are refused", arguments: ["1e309", "-1e400", "1e-400", "1e999999999999999999999"])
    func doubleRefused(_ text: String) {
        #expect(throws: WireCodingError.self) { try field("{\"type\":\"DOUBLE\",\"value\":\(text)}") }
    }

    @Test("NaN and infinity are refused in writing, naming the field", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(_ value: Double) {
        let place = WireLocation(latitude: value, longitude: 0)
        for bad: WireValue in [.double(value), .doubleList([1, value]), .location(place), .locationList([place])] {
            let record = WireRecord(recordName: "r", fields: ["weight": bad])
            let error = #expect(throws: WireCodingError.self) { try record.wireJSON() }
            #expect(error?.message.contains("'weight'") == true)
        }
    }
}
