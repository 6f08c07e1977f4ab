import Backstitch

/// Writes an array of one dimension in binary form: dimensions, whether there are nulls, the element's type, count and
/// lower bound, then each element with its length (`array_send` in the server's source).
struct ArrayWriter {
    private let start: Int
    private var count: Int32 = 0
    private var hasNull = false

    init(_ element: PostgreSQLType, to buffer: inout WireBuffer) {
        start = buffer.count
        buffer.write(Int32(1))
        buffer.write(Int32(0))
        buffer.write(element.oid)
        buffer.write(Int32(0))
        buffer.write(Int32(1))
    }

    @inline(__always)
    mutating func appendNull(to buffer: inout WireBuffer) {
        count += 1
        hasNull = true
        buffer.write(Int32(-1))
    }

    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(_ number: Number, to buffer: inout WireBuffer) {
        count += 1
        buffer.write(Int32(MemoryLayout<Number>.size))
        buffer.write(number)
    }

    @inline(__always)
    mutating func append(_ key: ObjectKey, to buffer: inout WireBuffer) {
        count += 1
        buffer.write(Int32(16))
        buffer.write(key.high)
        buffer.write(key.low)
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer, to buffer: inout WireBuffer) {
        count += 1
        buffer.write(Int32(truncatingIfNeeded: bytes.count))
        buffer.write(bytes)
    }

    /// Appends a number that canonical decimal text spells.
    mutating func append(decimal text: UnsafeRawBufferPointer, to buffer: inout WireBuffer) {
        count += 1
        let place = buffer.count
        buffer.write(Int32(0))
        NumericCoding.write(text, to: &buffer)
        buffer.replace(place, with: Int32(truncatingIfNeeded: buffer.count - place - 4))
    }

    /// Writes what is known at the end only.
    func finish(_ buffer: inout WireBuffer) {
        buffer.replace(start + 4, with: hasNull ? 1 : 0)
        buffer.replace(start + 12, with: count)
    }
}
