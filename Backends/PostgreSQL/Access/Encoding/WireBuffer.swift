/// Bytes for the server, written one after another, with numbers in network order. The memory grows by doubling.
struct WireBuffer: ~Copyable {
    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 256) {
        self.capacity = max(16, capacity)
        start = .allocate(byteCount: self.capacity, alignment: 8)
    }

    deinit { start.deallocate() }

    /// All bytes so far; valid until the next write.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Writes an integer of any size in network order.
    @inline(__always)
    mutating func write<Number: FixedWidthInteger>(_ number: Number) {
        let size = MemoryLayout<Number>.size
        if count + size > capacity { grow(by: size) }
        start.storeBytes(of: number.bigEndian, toByteOffset: count, as: Number.self)
        count += size
    }

    /// Writes bytes without a length.
    @inline(__always)
    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        if count + bytes.count > capacity { grow(by: bytes.count) }
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Removes all bytes, and keeps the memory.
    mutating func clear() { count = 0 }

    /// Overwrites the number at `offset`.
    mutating func replace(_ offset: Int, with number: Int32) {
        start.storeBytes(of: number.bigEndian, toByteOffset: offset, as: Int32.self)
    }

    /// Grows the memory to at least twice its size.
    private mutating func grow(by size: Int) {
        capacity = max(capacity * 2, count + size)
        let place = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        place.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = place
    }
}
