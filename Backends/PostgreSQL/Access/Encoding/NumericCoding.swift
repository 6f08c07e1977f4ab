/// PostgreSQL's binary form of exact numbers (`numeric_send` in the server's source). It has the number of digits to
/// the base 10,000, the weight of the first digit, the sign, and the number of displayed decimal places. Then the
/// digits follow.
enum NumericCoding {
    private static let negative: UInt16 = 0x4000

    /// Writes a number from its canonical decimal text: an optional minus, digits, at most one point.
    static func write(_ text: some Collection<UInt8>, to buffer: inout WireBuffer) {
        let isNegative = text.first == UInt8(ascii: "-")
        let body = isNegative ? text.dropFirst() : text[...]
        let whole = body.prefix { $0 != UInt8(ascii: ".") }.map(Self.value)
        let fraction = body.dropFirst(whole.count + 1).map(Self.value)
        // Both sides of the point are filled with zeros to whole groups of four digits.
        let digits =
            Array(repeating: 0, count: (4 - whole.count % 4) % 4) + whole + fraction
            + Array(repeating: 0, count: (4 - fraction.count % 4) % 4)
        var groups = stride(from: 0, to: digits.count, by: 4).map { index in
            digits[index..<index + 4].reduce(0) { $0 * 10 + $1 }
        }
        var weight = (whole.count + 3) / 4 - 1
        while groups.first == 0 {
            groups.removeFirst()
            weight -= 1
        }
        while groups.last == 0 { groups.removeLast() }
        buffer.write(Int16(groups.count))
        buffer.write(Int16(groups.isEmpty ? 0 : weight))
        buffer.write(isNegative && !groups.isEmpty ? negative : 0)
        buffer.write(Int16(fraction.count))
        for group in groups { buffer.write(Int16(group)) }
    }

    /// The canonical decimal text of a number; nil for NaN, for infinity, and for bytes in another form.
    static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count >= 8, bytes.count % 2 == 0 else { return nil }
        func number(_ index: Int) -> Int16 {
            Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: Int16.self))
        }
        let count = Int(number(0)), weight = Int(number(1)), sign = UInt16(bitPattern: number(2))
        guard count >= 0, bytes.count == 8 + count * 2, sign == 0 || sign == negative, abs(weight) <= 64 else {
            return nil
        }
        var groups: [Int] = []
        for index in 0..<count {
            let group = Int(number(4 + index))
            guard (0..<10_000).contains(group) else { return nil }
            groups.append(group)
        }
        return text(groups, weight: weight, isNegative: sign == negative)
    }

    /// The canonical text of a number from its digits to the base 10,000.
    private static func text(_ groups: [Int], weight: Int, isNegative: Bool) -> String {
        func group(at position: Int) -> String {
            let index = weight - position
            let digits = String(groups.indices.contains(index) ? groups[index] : 0)
            return String(repeating: "0", count: 4 - digits.count) + digits
        }
        var whole = weight < 0 ? "" : stride(from: weight, through: 0, by: -1).map(group).joined()
        whole = String(whole.drop { $0 == "0" })
        let last = weight - groups.count + 1
        var fraction = last > -1 ? "" : stride(from: -1, through: last, by: -1).map(group).joined()
        while fraction.last == "0" { fraction.removeLast() }
        if whole.isEmpty, fraction.isEmpty { return "0" }
        return (isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
    }

    private static func value(_ digit: UInt8) -> Int { max(0, min(9, Int(digit) - 48)) }
}
