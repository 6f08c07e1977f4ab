import Backstitch
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchPostgreSQL

@Suite("binary form of exact numbers")
struct NumericCodingTests {
    @Test(
        "numbers come back as they were",
        arguments: [
            "0", "1", "-1", "9999", "10000", "10001", "0.1", "-0.0001", "0.00001", "12345678.9", "100000000",
            "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001", "-123.456",
            "0.00012345",
        ])
    func roundTrip(_ text: String) { #expect(coded(text) == text) }

    @Test("random numbers come back as they were")
    func random() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<5000 {
            let mantissa = UInt64.random(
                in: 0...UInt64.max >> UInt64.random(in: 0...63, using: &random), using: &random)
            let sign: FloatingPointSign = Bool.random(using: &random) ? .minus : .plus
            let number = Decimal(
                sign: sign, exponent: Int.random(in: -30...15, using: &random), significand: Decimal(mantissa))
            #expect(coded(number.canonicalText) == number.canonicalText)
        }
    }

    @Test("bytes that are no number are refused, whatever they are")
    func hostile() {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let text = bytes.withUnsafeBytes { NumericCoding.text($0) }
            if let text { #expect(Decimal(string: text) != nil) }
        }
        // NaN and infinities are no decimals.
        for sign in [0xC000, 0xD000, 0xF000] as [UInt16] {
            let bytes: [UInt8] = [0, 0, 0, 0, UInt8(sign >> 8), 0, 0, 0]
            #expect(bytes.withUnsafeBytes { NumericCoding.text($0) } == nil)
        }
    }

    private func coded(_ text: String) -> String? {
        var buffer = WireBuffer()
        NumericCoding.write(Array(text.utf8), to: &buffer)
        return NumericCoding.text(buffer.bytes)
    }
}
