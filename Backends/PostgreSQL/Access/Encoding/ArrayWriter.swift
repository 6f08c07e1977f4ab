import Backstitch

/// Writes an array of one dimension in binary form (`array_send` in the server's source). It has the number of
/// dimensions, a flag for nulls, the element's type, the count and the lower bound. Each element follows with its
/// length.
struct ArrayWriter {
    private let start: Int
    private var count: Int32 = 0
    private var hasNull = false

    /// Begins an array, with placeholders for the parts of its header that are not known yet.
    init(_ element: PostgreSQLType, to buffer: inout WireBuffer) {
        start = buffer.count
        buffer.write(Int32(1))
        buffer.write(Int32(0))
        buffer.write(element.oid)
        buffer.write(Int32(0))
        buffer.write(Int32(1))
    }

    /// Appends a null, which has the length -1.
    @inline(__always)
    mutating func appendNull(to buffer: inout WireBuffer) {
        count += 1
        hasNull = true
        buffer.write(Int32(-1))
    }

    /// Appends an integer, in network order.
    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(_ number: Number, to buffer: inout WireBuffer) {
        count += 1
        buffer.write(Int32(MemoryLayout<Number>.size))
        buffer.write(number)
    }

    /// Appends a key as a UUID of 16 bytes.
    @inline(__always)
    mutating func append(_ key: ObjectKey, to buffer: inout WireBuffer) {
        count += 1
        buffer.write(Int32(16))
        buffer.write(key.high)
        buffer.write(key.low)
    }

    /// Appends bytes with their length.
    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer, to buffer: inout WireBuffer) {
        count += 1
        buffer.write(Int32(truncatingIfNeeded: bytes.count))
        buffer.write(bytes)
    }

    /// Appends a number from its canonical decimal text.
    mutating func append(decimal text: UnsafeRawBufferPointer, to buffer: inout WireBuffer) {
        count += 1
        let place = buffer.count
        buffer.write(Int32(0))
        NumericCoding.write(text, to: &buffer)
        buffer.replace(place, with: Int32(truncatingIfNeeded: buffer.count - place - 4))
    }

    /// Writes the parts of the header that are known only at the end: the flag for nulls and the count.
    func finish(_ buffer: inout WireBuffer) {
        buffer.replace(start + 4, with: hasNull ? 1 : 0)
        buffer.replace(start + 12, with: count)
    }
}
