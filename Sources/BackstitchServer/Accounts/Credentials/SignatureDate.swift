/// The date of a signed request. It is read leniently, because the signature covers the text itself.
enum SignatureDate {
    /// Reads `2016-01-25T22:15:43Z`, with or without a fraction of a second. The end is `Z` or an offset such as
    /// `+00:00`.
    ///
    /// - Returns: milliseconds since 1970; nil for text of another form.
    static func milliseconds(_ text: String) -> Int64? {
        guard text.utf8.count <= 40 else { return nil }
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, digits: 4), skip(&rest, "-"), let month = number(&rest, digits: 2),
            skip(&rest, "-"), let day = number(&rest, digits: 2), skip(&rest, "Tt "),
            let hour = number(&rest, digits: 2), skip(&rest, ":"), let minute = number(&rest, digits: 2),
            skip(&rest, ":"), let second = number(&rest, digits: 2),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        if skip(&rest, ".,") {
            // A fraction of a second is irrelevant to a window of ten minutes.
            let digits = rest.prefix { (0x30...0x39).contains($0) }.count
            guard digits > 0 else { return nil }
            rest = rest.dropFirst(digits)
        }
        guard let difference = difference(&rest), rest.isEmpty else { return nil }
        let time = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
        return (time - difference) * 1_000
    }

    /// The time zone's offset from UTC, in seconds.
    private static func difference(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if skip(&rest, "Zz") { return 0 }
        let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
        guard skip(&rest, "+-"), let hours = number(&rest, digits: 2) else { return nil }
        if rest.isEmpty { return hours < 24 ? sign * hours * 3_600 : nil }
        _ = skip(&rest, ":")
        guard let minutes = number(&rest, digits: 2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, digits: Int) -> Int64? {
        guard rest.count >= digits else { return nil }
        var result: Int64 = 0
        for byte in rest.prefix(digits) {
            guard (0x30...0x39).contains(byte) else { return nil }
            result = result * 10 + Int64(byte - 0x30)
        }
        rest = rest.dropFirst(digits)
        return result
    }

    /// Skips one of these signs; false when there is none.
    private static func skip(_ rest: inout ArraySlice<UInt8>, _ signs: StaticString) -> Bool {
        guard let byte = rest.first,
            UnsafeBufferPointer(start: signs.utf8Start, count: signs.utf8CodeUnitCount).contains(byte)
        else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Days from 1970-01-01 to a day of the Gregorian calendar (H. Hinnant, "chrono-Compatible Low-Level Date
    /// Algorithms", `days_from_civil`). Years begin in March here, so the last day of February ends a year.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
