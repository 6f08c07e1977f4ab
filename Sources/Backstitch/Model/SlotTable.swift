/// Slots by the names of properties: what every read and write of a typed property looks up. (Those of entities are
/// found alike.)
///
/// A short name is kept in the string itself, so the sixteen bytes of two equal short strings are equal, and no
/// character need be looked at. Strings whose bytes differ may still be equal, and those of long ones are but an
/// address: they are looked up as any dictionary does.
struct SlotTable: Sendable {
    /// A property's slot, and what its cells hold if it is a column.
    struct Column: Sendable {
        let slot: Int
        let kind: ResolvedProperty.CellKind
        /// Whether it is an attribute that rows have a cell for.
        let isStoredAttribute: Bool
    }

    private struct Entry {
        var bits: (UInt64, UInt64)
        /// Nil where nothing is.
        var column: Column?
    }

    private let entries: ContiguousArray<Entry>
    private let shift: UInt64
    private let columns: [String: Column]

    /// How many bytes a string keeps in itself.
    private static let longest = 15

    /// Where a string is not sixteen bytes, all names take the long way.
    private static let hasBits = MemoryLayout<String>.size == 16

    /// - Parameter stored: The properties that are columns, by slot.
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

    /// The slot of a name; nil if it is none. Complexity: O(1), for names of up to 15 bytes without hashing them.
    @inline(__always)
    func slot(of name: String) -> Int? { column(of: name)?.slot }

    /// The same, with what the slot's cells hold.
    @inline(__always)
    func column(of name: String) -> Column? {
        guard Self.hasBits else { return columns[name] }
        let bits = Self.bits(of: name)
        let found = entries.withUnsafeBufferPointer { entries -> Column? in
            // A place of so many bits is always one of the table's.
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
        // Only compared, with those of short names: a long one's never equal them.
        unsafeBitCast(name, to: (UInt64, UInt64).self)
    }

    @inline(__always)
    private static func place(of bits: (UInt64, UInt64), _ shift: UInt64) -> Int {
        Int(truncatingIfNeeded: ((bits.0 ^ (bits.1 << 7 | bits.1 >> 57)) &* 0x9E37_79B9_7F4A_7C15) &>> shift)
    }
}
