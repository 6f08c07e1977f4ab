import Foundation

extension Date {
    /// The date in UTC to the second, in the form of ISO 8601: `2023-11-14T22:13:20Z`. Years before 0 and after 9999
    /// have a sign. Dates that are not finite give `NaN`, `infinity` or `-infinity`.
    ///
    /// Foundation's own descriptions end the program for NaN, and lack a text for far dates.
    package var text: String {
        let seconds = timeIntervalSince1970
        guard seconds.isFinite else { return seconds.isNaN ? "NaN" : seconds < 0 ? "-infinity" : "infinity" }
        guard let whole = Int64(exactly: seconds.rounded(.down)) else { return "\(seconds) seconds from 1970" }
        let (days, rest) = (whole.floored(by: 86_400), whole - whole.floored(by: 86_400) * 86_400)
        let (year, month, day) = Self.civil(days)
        let time = [rest / 3600, rest / 60 % 60, rest % 60].map(Self.twoDigits).joined(separator: ":")
        return "\(Self.text(ofYear: year))-\(Self.twoDigits(month))-\(Self.twoDigits(day))T\(time)Z"
    }

    /// Computes year, month and day of the Gregorian calendar, also before its introduction
    /// (https://howardhinnant.github.io/date_algorithms.html#civil_from_days).
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // Counted from the first of March of the year 0: then leap days are the last days of their years.
        let shifted = days + 719_468
        let era = shifted.floored(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func text(ofYear year: Int64) -> String {
        if (0...9_999).contains(year) { return String(String(10_000 + year).dropFirst()) }
        return
            "\(year < 0 ? "-" : "+")\(String(repeating: "0", count: max(0, 4 - String(abs(year)).count)))\(abs(year))"
    }

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
    /// The quotient by a positive divisor, rounded down.
    fileprivate func floored(by divisor: Int64) -> Int64 { self / divisor - (self % divisor < 0 ? 1 : 0) }
}
