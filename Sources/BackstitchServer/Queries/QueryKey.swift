import Backstitch
import BackstitchSupport
import CloudWire

/// Values as bytes in the order of the values. So every database compares them alike, and one index serves all types.
///
/// The first byte is the kind of value. Whole numbers, fractions and times are one kind, and are compared exactly.
/// Texts and record names of references are one kind, compared by their UTF-8. No value's bytes are the beginning of
/// another's, so the bytes of several values can be joined.
enum QueryKey {
    /// The first byte of a value. Kinds have the order of these numbers.
    enum Kind: UInt8 {
        case missing = 0x01
        case number = 0x10
        case text = 0x20
        case bytes = 0x30
        case location = 0x40
        /// A list or a file, as a whole.
        case other = 0x60
        /// Replaces all elements of a list, or all words of a text, if there are too many.
        case tooMany = 0x70
    }

    /// The bytes of a text that an index keeps.
    ///
    /// Texts with an equal beginning of this length are ordered by the next field. A look at the records tells them
    /// apart.
    static let indexedBytes = 200

    /// The bytes of a value; nil means a missing field.
    ///
    /// - Parameter limit: The maximum bytes taken from a text; nil for all.
    static func bytes(_ value: WireValue?, limit: Int? = indexedBytes) -> [UInt8] {
        switch value {
        case nil: [Kind.missing.rawValue]
        case .int64(let number), .timestamp(let number): [Kind.number.rawValue] + self.number(number)
        case .double(let number): [Kind.number.rawValue] + self.number(number) + [0, 0]
        case .string(let text): [Kind.text.rawValue] + escaped(text.utf8, limit)
        case .reference(let reference): [Kind.text.rawValue] + escaped(reference.recordName.utf8, limit)
        case .bytes(let data): [Kind.bytes.rawValue] + escaped(data, limit)
        case .location(let place):
            [Kind.location.rawValue] + number(place.latitude) + number(place.longitude)
        default: [Kind.other.rawValue]
        }
    }

    /// The common first bytes of all texts that begin with this text.
    static func beginning(_ text: String) -> [UInt8] {
        [Kind.text.rawValue] + escaped(text.utf8, indexedBytes).dropLast(2)
    }

    /// The smallest bytes greater than all byte strings with this beginning.
    static func after(_ bytes: [UInt8]) -> [UInt8] {
        var next = bytes
        while next.last == 0xFF { next.removeLast() }
        guard let last = next.popLast() else { return [0xFF] }
        return next + [last + 1]
    }

    /// Eight bytes for a number with a fraction.
    static func number(_ value: Double) -> [UInt8] {
        // Minus zero is written as zero.
        let bits = (value == 0 ? 0.0 : value).bitPattern
        return (bits >> 63 == 0 ? bits | 1 << 63 : ~bits).bigEndianBytes
    }

    /// Ten bytes for a whole number: the next number below it that a double can have, and the difference.
    private static func number(_ value: Int64) -> [UInt8] {
        var base = Double(value)
        if base >= 0x1p63 || Int64(base) > value { base = base.nextDown }
        return number(base) + UInt16(truncatingIfNeeded: value - Int64(base)).bigEndianBytes
    }

    /// Bytes with an end mark of two zeros. A zero byte among them is followed by 0xFF.
    private static func escaped(_ bytes: some Collection<UInt8>, _ limit: Int?) -> [UInt8] {
        let kept = bytes.prefix(limit ?? Int.max)
        var result: [UInt8] = []
        result.reserveCapacity(kept.count + 2)
        for byte in kept {
            result.append(byte)
            if byte == 0 { result.append(0xFF) }
        }
        return result + [0, 0]
    }
}
