/// Slots by the names of properties: what every read and write of a typed property looks up.
///
/// A short name is kept in the string itself, so the sixteen bytes of two equal short strings are equal, and no character need be
/// looked at. Strings whose bytes differ may still be equal, and those of long ones are but an address: they are looked up as any
/// dictionary does.
struct SlotTable: Sendable {
    private struct Entry {
        var bits: (UInt64, UInt64)
        /// -1 where nothing is.
        var slot: Int
    }

    private let entries: ContiguousArray<Entry>
    private let shift: UInt64
    private let slots: [String: Int]

    /// How many bytes a string keeps in itself.
    private static let longest = 15

    /// Where a string is not sixteen bytes, all names take the long way.
    private static let hasBits = MemoryLayout<String>.size == 16

    init(_ slots: [String: Int]) {
        self.slots = slots
        var width: UInt64 = 3
        while 1 << width < slots.count * 4 { width += 1 }
        shift = 64 - width
        var entries = ContiguousArray(repeating: Entry(bits: (0, 0), slot: -1), count: 1 << Int(width))
        for (name, slot) in slots where Self.hasBits && name.utf8.count <= Self.longest {
            let bits = Self.bits(of: String(decoding: Array(name.utf8), as: UTF8.self))
            var index = Self.place(of: bits, shift)
            while entries[index].slot >= 0 { index = (index + 1) & (entries.count - 1) }
            entries[index] = Entry(bits: bits, slot: slot)
        }
        self.entries = entries
    }

    /// The slot of a name; nil if it is none. Complexity: O(1), for names of up to 15 bytes without hashing them.
    @inline(__always)
    func slot(of name: String) -> Int? {
        guard Self.hasBits else { return slots[name] }
        let bits = Self.bits(of: name)
        var index = Self.place(of: bits, shift)
        while entries[index].slot >= 0 {
            if entries[index].bits == bits { return entries[index].slot }
            index = (index + 1) & (entries.count - 1)
        }
        return slots[name]
    }

    @inline(__always)
    private static func bits(of name: String) -> (UInt64, UInt64) {
        // Only compared, with those of short names: a long one's never equal them.
        unsafeBitCast(name, to: (UInt64, UInt64).self)
    }

    @inline(__always)
    private static func place(of bits: (UInt64, UInt64), _ shift: UInt64) -> Int {
        Int(truncatingIfNeeded: ((bits.0 ^ (bits.1 << 7 | bits.1 >> 57)) &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }
}
