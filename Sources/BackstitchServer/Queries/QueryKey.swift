import Backstitch
import BackstitchSupport
import CloudWire

/// Values as bytes whose order is that of the values, so that every database compares them alike, and one index does
/// for all types.
///
/// A value is a byte for its kind and what follows. Whole numbers, those with a fraction and times are one kind, and
/// compared exactly; texts and the names that references have are one kind, compared by their UTF-8. No value's bytes
/// are the beginning of another's, so that values can be laid one behind the other.
enum QueryKey {
    /// The first bytes, in the order of the kinds.
    enum Kind: UInt8 {
        case missing = 0x01
        case number = 0x10
        case text = 0x20
        case bytes = 0x30
        case location = 0x40
        /// A list or a file, as a whole.
        case other = 0x60
        /// Stands for all elements of a list, or words of a text, that has too many.
        case tooMany = 0x70
    }

    /// Bytes of a text that an index keeps. Texts that begin alike so far are ordered by the next field, and told
    /// apart by looking at the records.
    static let indexedBytes = 200

    /// The bytes of a value; nil stands for a field that is missing.
    ///
    /// - Parameter limit: How much of a text goes in; nil for all.
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

    /// The bytes with which those of all texts begin that begin with this one.
    static func beginning(_ text: String) -> [UInt8] {
        [Kind.text.rawValue] + escaped(text.utf8, indexedBytes).dropLast(2)
    }

    /// The smallest bytes that are greater than all that begin with these.
    static func after(_ bytes: [UInt8]) -> [UInt8] {
        var next = bytes
        while next.last == 0xFF { next.removeLast() }
        guard let last = next.popLast() else { return [0xFF] }
        return next + [last + 1]
    }

    /// A number with a fraction: eight bytes.
    static func number(_ value: Double) -> [UInt8] {
        // Minus zero is zero.
        let bits = (value == 0 ? 0.0 : value).bitPattern
        return (bits >> 63 == 0 ? bits | 1 << 63 : ~bits).bigEndianBytes
    }

    /// A whole number: the next number below that has a place among those with fractions, and how much more it is.
    private static func number(_ value: Int64) -> [UInt8] {
        var base = Double(value)
        if base >= 0x1p63 || Int64(base) > value { base = base.nextDown }
        return number(base) + UInt16(truncatingIfNeeded: value - Int64(base)).bigEndianBytes
    }

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
