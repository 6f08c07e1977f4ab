import Backstitch
import Foundation

/// Reads the bytes of a ``ByteWriter``. Any other bytes give an error, never a trap or a huge allocation.
struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func readByte() throws(BackstitchError) -> UInt8 {
        guard position < bytes.count else { throw damaged("it ends too early") }
        defer { position += 1 }
        return bytes[position]
    }

    /// Reads an integer in LEB128, of at most ten bytes.
    mutating func readUnsigned() throws(BackstitchError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try readByte()
            // The tenth byte has room for the highest bit only.
            if shift == 63, byte > 1 { break }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw damaged("an integer is too long")
    }

    /// Reads a signed integer in zigzag form.
    mutating func readSigned() throws(BackstitchError) -> Int64 {
        let value = try readUnsigned()
        return Int64(bitPattern: (value >> 1)) ^ -Int64(bitPattern: value & 1)
    }

    /// Reads a number of elements. Each takes at least `size` bytes, so a number that cannot fit is an error.
    mutating func readCount(ofSize size: Int = 1) throws(BackstitchError) -> Int {
        let count = try readUnsigned()
        guard count <= UInt64((bytes.count - position) / size) else { throw damaged("a length leads past its end") }
        return Int(count)
    }

    /// Reads bytes with their length in front.
    mutating func readData() throws(BackstitchError) -> ArraySlice<UInt8> {
        let count = try readCount()
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func readText() throws(BackstitchError) -> String {
        guard let text = String(validating: try readData(), as: UTF8.self) else {
            throw damaged("a text is not UTF-8")
        }
        return text
    }

    /// Reads eight bytes, the highest first.
    mutating func readFixed() throws(BackstitchError) -> UInt64 {
        guard bytes.count - position >= 8 else { throw damaged("it ends too early") }
        defer { position += 8 }
        return bytes[position..<position + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func readKey() throws(BackstitchError) -> ObjectKey {
        let high = try readFixed()
        return ObjectKey(high: high, low: try readFixed())
    }

    /// The error for bytes that do not come from a writer, with the position of the fault.
    func damaged(_ reason: String) -> BackstitchError {
        BackstitchError(
            .storeFailure,
            "an entry of the store's journal is damaged (byte \(position) of \(bytes.count)): \(reason); restore "
                + "the store "
                + "from a backup, or remove it and sync again")
    }
}
