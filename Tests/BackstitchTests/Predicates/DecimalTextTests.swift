import Backstitch
import BackstitchTestKit
import Foundation
import Testing

@Suite("order of decimal text")
struct DecimalTextTests {
    @Test("numbers in every spelling are ordered by value")
    func order() {
        let rising = [
            "", "x", "-inf", "-1e400", "-100", "-99.5", "-2", "-1.5", "-0.001", "-1e-400", "0", "1e-400", "0.000001",
            "0.5", "1", "1.5", "9", "10",
            "99.99", "100", "1e22", "9223372036854775807", "9223372036854775808", "1e999999999999999999999", "inf",
        ].sorted { DecimalText.compare($0, $1) < 0 }
        #expect(rising.first == "" && rising[1] == "x" && rising[2] == "-inf" && rising.last == "inf")
        for (index, left) in rising.enumerated() {
            for (other, right) in rising.enumerated() {
                let order = DecimalText.compare(left, right)
                #expect(index < other ? order < 0 : index > other ? order > 0 : order == 0, "\(left) \(right)")
            }
        }
        for (left, right) in [
            ("0", "-0"), ("0.0", "0e5"), ("1.0", "1"), ("1e3", "1000"), ("001.50", "1.5"), (".5", "0.5"),
            ("5e-1", "0.5"), ("1E+2", "100"), ("12e-1", "1.2"),
            ("+7", "7"), ("0.00120", "1.2e-3"),
        ] { #expect(DecimalText.compare(left, right) == 0, "\(left) \(right)") }
    }

    @Test("the order of doubles' text is the order of the doubles")
    func doubles() {
        let seed = SeededGenerator.seed()
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let (left, right) = (Double(bitPattern: random.next()), Double(bitPattern: random.next()))
            guard !left.isNaN, !right.isNaN else { continue }
            let expected = left < right ? -1 : left > right ? 1 : 0
            #expect(
                DecimalText.compare("\(left)", "\(right)").signum() == expected,
                "BACKSTITCH_SEED=\(seed): \(left) \(right)")
        }
    }
}
