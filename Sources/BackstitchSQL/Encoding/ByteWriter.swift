import Backstitch
import Foundation

/// Collects the bytes of an encoding: integers of variable length, and texts and bytes after their length.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(byte: UInt8) { bytes.append(byte) }

    /// Writes an integer in LEB128: seven bits in each byte, the lowest first. The high bit is set in all bytes but the
    /// last.
    mutating func write(unsigned value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Writes an integer in zigzag form, so that small negative numbers are short too.
    mutating func write(signed value: Int64) {
        write(unsigned: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    mutating func write(text: String) {
        var text = text
        text.withUTF8 { write(data: $0) }
    }

    /// Writes bytes with their length in front.
    mutating func write(data: some Collection<UInt8>) {
        write(unsigned: UInt64(data.count))
        bytes.append(contentsOf: data)
    }

    /// Writes eight bytes, the highest first.
    mutating func write(fixed value: UInt64) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(key: ObjectKey) {
        key.withBytes { bytes.append(contentsOf: $0) }
    }
}
