/// The values of an object that differ from its row.
///
/// They lie in one piece of memory behind the head, as in a row: a bit for each column that has a value here, a bit for
/// each of these that is null, and the columns' cells. A value that is no number is a ``Value`` beside them, and no
/// room is made before there is one. So a new object of numbers costs one allocation, and a save copies its cells as
/// they are. The head is reached by its pointer: as a property of a class each access would be checked at run time for
/// being exclusive.
final class ObjectEdits: ManagedBuffer<ObjectEdits.Head, UInt64> {
    struct Head {
        /// Lives as long as the model, which the object's context holds: counting it would cost each object two atomic
        /// operations.
        let entity: Unmanaged<ResolvedEntity>
        /// How many words of bits there are, of either sort.
        let width: Int
        var others: ContiguousArray<Value>
    }

    /// No edits of an object of `entity`.
    static func none(of entity: ResolvedEntity) -> ObjectEdits { make(entity, entity.noCells) }

    /// The edits of a new object: its defaults.
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

    /// Makes them the edits of a new object again: its defaults.
    func reset() {
        let template = entity._withUnsafeGuaranteedRef { $0.newCells }
        withUnsafeMutablePointers { head, words in
            head.pointee.others = template.others
            template.words.withUnsafeBufferPointer { source in
                if let first = source.baseAddress { words.update(from: first, count: source.count) }
            }
        }
    }

    /// The same values in other memory.
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

    /// The columns that have a value here.
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

    /// The cells, and the bits of those that are null.
    @inline(__always)
    private var cells: RowCells {
        withUnsafeMutablePointers { RowCells(start: $1 + $0.pointee.width, nullWords: $0.pointee.width) }
    }

    @inline(__always)
    private var entity: Unmanaged<ResolvedEntity> { withUnsafeMutablePointerToHeader { $0.pointee.entity } }

    /// Whether all of these columns have a value here that is not null.
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

    /// A value that is no number, by its place among them.
    private func other(_ place: Int) -> Value {
        withUnsafeMutablePointerToHeader { place < $0.pointee.others.count ? $0.pointee.others[place] : .null }
    }

    /// The cell of a column of numbers; nil where it is null. The column has a value here.
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

    /// Appends a row with a cell for each column, as of a new object.
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
