/// Slots by the names of properties. Every read and write of a typed property looks its name up here. Entities are
/// found by name in the same way.
///
/// Swift keeps a short name in the string itself. So two equal short strings have the same sixteen bytes, and no
/// character is compared. Strings with different bytes may still be equal, and the bytes of a long string hold only an
/// address. Both are looked up in a dictionary.
struct SlotTable: Sendable {
    /// A property's slot, and the content of its cells if it has a column.
    struct Column: Sendable {
        let slot: Int
        let kind: ResolvedProperty.CellKind
        /// Whether the property is an attribute with a cell in rows.
        let isStoredAttribute: Bool
    }

    private struct Entry {
        var bits: (UInt64, UInt64)
        /// The property at this place; nil for an empty place.
        var column: Column?
    }

    private let entries: ContiguousArray<Entry>
    private let shift: UInt64
    private let columns: [String: Column]

    /// The most bytes that a string keeps in itself.
    private static let longest = 15

    /// Whether a string has sixteen bytes. If not, all names are looked up in the dictionary.
    private static let hasBits = MemoryLayout<String>.size == 16

    /// - Parameter stored: The properties with columns, by slot.
    init(_ slots: [String: Int], _ stored: ArraySlice<ResolvedProperty>) {
        columns = slots.mapValues { slot in
            let property = slot < stored.count ? stored[stored.startIndex + slot] : nil
            return Column(
                slot: slot, kind: property?.cellKind ?? .bytes, isStoredAttribute: property?.attribute != nil)
        }
        var width: UInt64 = 3
        while 1 << width < slots.count * 4 { width += 1 }
        shift = 64 - width
        var entries = ContiguousArray(repeating: Entry(bits: (0, 0), column: nil), count: 1 << Int(width))
        for (name, column) in columns where Self.hasBits && name.utf8.count <= Self.longest {
            let bits = Self.bits(of: String(decoding: Array(name.utf8), as: UTF8.self))
            var index = Self.place(of: bits, shift)
            while entries[index].column != nil { index = (index + 1) & (entries.count - 1) }
            entries[index] = Entry(bits: bits, column: column)
        }
        self.entries = entries
    }

    /// Returns the slot of a name; nil if there is none. Complexity: O(1), without hashing for names of up to 15 bytes.
    @inline(__always)
    func slot(of name: String) -> Int? { column(of: name)?.slot }

    /// Returns the slot of a name with the content of its cells; nil if there is none.
    @inline(__always)
    func column(of name: String) -> Column? {
        guard Self.hasBits else { return columns[name] }
        let bits = Self.bits(of: name)
        let found = entries.withUnsafeBufferPointer { entries -> Column? in
            // A place has only as many bits as the table's size, so it is always in range.
            var index = Self.place(of: bits, shift)
            while let column = entries[index].column {
                if entries[index].bits == bits { return column }
                index = (index &+ 1) & (entries.count &- 1)
            }
            return nil
        }
        return found ?? longColumn(of: name)
    }

    @inline(never)
    private func longColumn(of name: String) -> Column? { columns[name] }

    @inline(__always)
    private static func bits(of name: String) -> (UInt64, UInt64) {
        // The bits are only compared with those of short names. The bits of a long name never equal them.
        unsafeBitCast(name, to: (UInt64, UInt64).self)
    }

    @inline(__always)
    private static func place(of bits: (UInt64, UInt64), _ shift: UInt64) -> Int {
        Int(truncatingIfNeeded: ((bits.0 ^ (bits.1 << 7 | bits.1 >> 57)) &* 0x9E37_79B9_7F4A_7C15) &>> shift)
    }
}
