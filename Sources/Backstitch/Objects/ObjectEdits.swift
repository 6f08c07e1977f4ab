/// The values of an object that differ from its row.
///
/// They are in one piece of memory behind the header, as in a row. It has a bit for each column with a value here, a
/// bit for each null column, and the cells of the columns. A value that is no number is a ``Value`` beside them. Room
/// for such values is made when the first one is set. A new object of numbers therefore costs one allocation, and a
/// save copies its cells as they are.
///
/// The header is reached by its pointer. As a property of a class, it would be checked for exclusive access at run
/// time.
final class ObjectEdits: ManagedBuffer<ObjectEdits.Head, UInt64> {
    struct Head {
        /// Lives as long as the model, and the object's context holds the model. Counting it would cost each object two
        /// atomic operations.
        let entity: Unmanaged<ResolvedEntity>
        /// The number of words for each of the two sorts of bits.
        let width: Int
        var others: ContiguousArray<Value>
    }

    /// Creates empty edits for an object of `entity`.
    static func none(of entity: ResolvedEntity) -> ObjectEdits { make(entity, entity.noCells) }

    /// Creates the edits of a new object: its defaults.
    static func defaults(of entity: ResolvedEntity) -> ObjectEdits { make(entity, entity.newCells) }

    @inline(__always)
    private static func make(_ entity: ResolvedEntity, _ template: CellTemplate) -> ObjectEdits {
        let buffer = ObjectEdits.create(minimumCapacity: template.words.count) { _ in
            Head(
                entity: .passUnretained(entity), width: RowCells.nullWords(entity.columnCount), others: template.others)
        }
        buffer.withUnsafeMutablePointerToElements { words in
            template.words.withUnsafeBufferPointer { source in
                if let first = source.baseAddress { words.initialize(from: first, count: source.count) }
            }
        }
        // The class method makes an instance of the class that it is called on.
        return unsafeDowncast(buffer, to: ObjectEdits.self)
    }

    /// Resets the edits to those of a new object: its defaults.
    func reset() {
        let template = entity._withUnsafeGuaranteedRef { $0.newCells }
        withUnsafeMutablePointers { head, words in
            head.pointee.others = template.others
            template.words.withUnsafeBufferPointer { source in
                if let first = source.baseAddress { words.update(from: first, count: source.count) }
            }
        }
    }

    /// Returns the same values in other memory.
    func copy() -> ObjectEdits {
        let copy = entity._withUnsafeGuaranteedRef { Self.make($0, $0.noCells) }
        withUnsafeMutablePointers { head, words in
            let count = entity._withUnsafeGuaranteedRef { $0.noCells.words.count }
            copy.withUnsafeMutablePointers {
                $0.pointee.others = head.pointee.others
                $1.update(from: words, count: count)
            }
        }
        return copy
    }

    /// The columns with a value here.
    var changed: PropertySet {
        withUnsafeMutablePointers { PropertySet(words: UnsafeBufferPointer(start: $1, count: $0.pointee.width)) }
    }

    /// Whether no column has a value here.
    var isEmpty: Bool {
        withUnsafeMutablePointers { head, words in
            for word in 0..<head.pointee.width where words[word] != 0 { return false }
            return true
        }
    }

    /// The cells, and the bits of the null cells.
    @inline(__always)
    private var cells: RowCells {
        withUnsafeMutablePointers { RowCells(start: $1 + $0.pointee.width, nullWords: $0.pointee.width) }
    }

    @inline(__always)
    private var entity: Unmanaged<ResolvedEntity> { withUnsafeMutablePointerToHeader { $0.pointee.entity } }

    /// Whether all of these columns have a value here, and none of these values is null.
    func hasAll(_ columns: PropertySet) -> Bool {
        withUnsafeMutablePointers { head, words in
            let width = head.pointee.width
            return (0..<width).allSatisfy { words[$0] & ~words[width + $0] & columns.word($0) == columns.word($0) }
        }
    }

    subscript(column: Int) -> Value? {
        guard has(column) else { return nil }
        if cells.isNull(column) { return .null }
        return entity._withUnsafeGuaranteedRef { entity in
            let place = entity.otherPlaces[column]
            return place < 0 ? Value(numberBits: cells[column], entity.cellKinds[column]) : other(place)
        }
    }

    /// Returns a value that is no number, by its place among such values.
    private func other(_ place: Int) -> Value {
        withUnsafeMutablePointerToHeader { place < $0.pointee.others.count ? $0.pointee.others[place] : .null }
    }

    /// Returns the cell of a column of numbers; nil if it is null. The column must have a value here.
    @inline(__always)
    func numberBits(_ column: Int) -> UInt64? { cells.isNull(column) ? nil : cells[column] }

    /// Whether a column has a value here.
    @inline(__always)
    func has(_ column: Int) -> Bool {
        withUnsafeMutablePointerToElements { $0[column &>> 6] & (1 &<< UInt64(column & 63)) != 0 }
    }

    func set(_ value: Value, at column: Int) {
        if let bits = value.numberBits { return set(bits, at: column) }
        note(column)
        cells.setNull(column)
        let (place, count) = entity._withUnsafeGuaranteedRef { ($0.otherPlaces[column], $0.otherCount) }
        guard place >= 0 else { return }
        withUnsafeMutablePointerToHeader { head in
            if head.pointee.others.isEmpty {
                if value.isNull { return }
                head.pointee.others = ContiguousArray(repeating: .null, count: count)
            }
            head.pointee.others[place] = value
        }
        if !value.isNull { clearNull(column) }
    }

    /// Sets a column of numbers.
    @inline(__always)
    func set(_ bits: UInt64, at column: Int) {
        note(column)
        clearNull(column)
        cells[column] = bits
    }

    func drop(_ column: Int) {
        set(.null, at: column)
        withUnsafeMutablePointerToElements { $0[column &>> 6] &= ~(1 &<< UInt64(column & 63)) }
    }

    /// Appends a row with a cell for each column, like the row of a new object.
    func appendRow(key: ObjectKey, to builder: inout RowBatchBuilder) {
        let row = builder.appendRow(key: key, version: 1)
        entity._withUnsafeGuaranteedRef { entity in
            row.copy(cells, columnCount: entity.columnCount)
            guard entity.otherCount > 0 else { return }
            for column in 0..<entity.columnCount where !cells.isNull(column) && entity.otherPlaces[column] >= 0 {
                row[column] = builder.keep(other(entity.otherPlaces[column]))
            }
        }
    }

    @inline(__always)
    private func note(_ column: Int) {
        withUnsafeMutablePointerToElements { $0[column &>> 6] |= 1 &<< UInt64(column & 63) }
    }

    @inline(__always)
    private func clearNull(_ column: Int) {
        withUnsafeMutablePointers { $1[$0.pointee.width &+ column &>> 6] &= ~(1 &<< UInt64(column & 63)) }
    }
}
