import Foundation

/// The key of an object during reading: a view of UTF-8 bytes, valid as long as the reader.
struct JSONKey {
    let bytes: UnsafeBufferPointer<UInt8>

    /// The absence of a key. It equals no literal, because a table has no empty key.
    static var none: JSONKey { JSONKey(bytes: UnsafeBufferPointer(start: nil, count: 0)) }

    var isNone: Bool { bytes.baseAddress == nil }

    /// The key as a string, decoded from UTF-8.
    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// A 64-bit digest that differs for most different keys. Equal keys have equal digests.
    var digest: UInt64 {
        var hash = UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15
        var index = 0
        while index &+ 8 <= bytes.count {
            let word = UnsafeRawPointer(bytes.baseAddress! + index).loadUnaligned(as: UInt64.self)
            hash = (hash ^ word) &* 0xFF51_AFD7_ED55_8CCD
            hash ^= hash >> 32
            index &+= 8
        }
        var tail: UInt64 = 0
        while index < bytes.count {
            tail = tail << 8 | UInt64(bytes[index])
            index &+= 1
        }
        return (hash ^ tail) &* 0xC4CE_B9FE_1A85_EC53
    }

    func equals(_ other: JSONKey) -> Bool {
        bytes.count == other.bytes.count && bytes.elementsEqual(other.bytes)
    }

    /// Allows plain literals as the cases of a `switch` over a key.
    @inline(__always)
    static func ~= (pattern: StaticString, key: JSONKey) -> Bool {
        let count = pattern.utf8CodeUnitCount
        guard key.bytes.count == count else { return false }
        // With a literal, the compiler reduces this to one or two comparisons of words.
        return memcmp(pattern.utf8Start, key.bytes.baseAddress.unsafelyUnwrapped, count) == 0
    }
}
