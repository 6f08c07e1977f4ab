/// A cell of an object's row, as a typed property reads it. It has the eight bytes, and the place of the text they
/// refer to.
///
/// It is valid only for the read that gave it.
public struct StoredCell {
    /// The state of the cell.
    @usableFromInline
    enum State: UInt8 {
        /// There is no such cell, or unsaved changes lie over it.
        case elsewhere
        case null
        case value
    }

    @usableFromInline let state: State
    /// The meaning of ``bits``; see ``RowBatch``.
    public let kind: ResolvedProperty.CellKind
    /// The cell's eight bytes.
    public let bits: UInt64
    /// The batch with the arena that ``bits`` refer to. The object that is read holds it.
    private let batch: Unmanaged<RowBatch>?

    @inline(__always)
    init(
        _ state: State, _ kind: ResolvedProperty.CellKind = .bytes, bits: UInt64 = 0,
        of batch: Unmanaged<RowBatch>? = nil
    ) {
        self.state = state
        self.kind = kind
        self.bits = bits
        self.batch = batch
    }

    /// The text of a cell of kind ``ResolvedProperty/CellKind/text``.
    public var text: String {
        guard let batch else { return "" }
        return batch._withUnsafeGuaranteedRef { $0.string(at: bits) }
    }
}

extension ManagedObject {
    /// Returns the cell of a property's value, if the object is loaded and the cell alone gives the value.
    @usableFromInline
    final func storedCell(_ key: String) -> StoredCell {
        guard let column = entity.column(of: key), column.isStoredAttribute else { return StoredCell(.elsewhere) }
        if let edits, edits.has(column.slot) { return editedCell(column, edits) }
        guard let cells = storedCells else { return StoredCell(.elsewhere) }
        if cells.isNull(column.slot) { return StoredCell(.null) }
        let batch = column.kind == .text ? storedBatch : nil
        return StoredCell(.value, column.kind, bits: cells[column.slot], of: batch)
    }

    /// A separate function, so that the path of unchanged values stays short.
    @inline(never)
    private func editedCell(_ column: SlotTable.Column, _ edits: ObjectEdits) -> StoredCell {
        if column.kind == .text || column.kind == .bytes { return StoredCell(.elsewhere) }
        return edits.numberBits(column.slot).map { StoredCell(.value, column.kind, bits: $0) } ?? StoredCell(.null)
    }
}
