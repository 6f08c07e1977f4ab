import Foundation
import Testing

@testable import Backstitch

@Suite("The text of a date")
struct DateTextTests {
    @Test("is that of ISO 8601, as Foundation writes it where it can")
    func sameAsFoundation() {
        for day in stride(from: -140_000, to: 2_900_000, by: 13) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + Double(day & 0xFFFF))
            #expect(date.text == date.formatted(.iso8601))
        }
    }

    @Test(
        "is there for every date",
        arguments: [
            (.nan, "NaN"), (.infinity, "infinity"), (-.infinity, "-infinity"), (0.9, "1970-01-01T00:00:00Z"),
            (-0.1, "1969-12-31T23:59:59Z"), (1e300, "1e+300 seconds from 1970"),
            (253_402_300_800, "+10000-01-01T00:00:00Z"), (-62_167_219_201, "-0001-12-31T23:59:59Z"),
            (9_223_372_036_854_775, "+292278994-08-17T07:12:56Z"),
            (-9_223_372_036_854_775, "-292275055-05-16T16:47:04Z"),
        ] as [(Double, String)])
    func all(_ seconds: Double, _ text: String) {
        #expect(Date(timeIntervalSince1970: seconds).text == text)
    }
}
