/// A cell of an object's row as a typed property reads it: the eight bytes, and where the text is that they refer to.
///
/// It is good for the read that gave it only.
public struct StoredCell {
    /// What can be said of the cell.
    @usableFromInline
    enum State: UInt8 {
        /// There is no such cell, or changes that are not saved lie over it.
        case elsewhere
        case null
        case value
    }

    @usableFromInline let state: State
    /// What ``bits`` are; see ``RowBatch``.
    public let kind: ResolvedProperty.CellKind
    /// The cell's eight bytes.
    public let bits: UInt64
    /// Whose arena ``bits`` refer to; held by the object that is read.
    private let batch: Unmanaged<RowBatch>?

    init(_ state: State, _ kind: ResolvedProperty.CellKind = .bytes, bits: UInt64 = 0, of batch: RowBatch? = nil) {
        self.state = state
        self.kind = kind
        self.bits = bits
        self.batch = batch.map(Unmanaged.passUnretained)
    }

    /// The text of a cell of kind ``ResolvedProperty/CellKind/text``.
    public var text: String {
        guard let batch else { return "" }
        return batch._withUnsafeGuaranteedRef { $0.string(at: bits) }
    }
}

extension ManagedObject {
    /// The cell that holds a property's value, if the row is loaded and no change lies over it.
    @usableFromInline
    final func storedCell(_ key: String) -> StoredCell {
        guard edits == nil, let snapshot, let slot = entity.slot(of: key), slot < entity.columnCount else {
            return StoredCell(.elsewhere)
        }
        let batch = snapshot.batch
        if batch.isNull(snapshot.row, slot) {
            return StoredCell(entity.isAttribute(slot) ? .null : .elsewhere)
        }
        return StoredCell(.value, entity.cellKinds[slot], bits: batch.cell(snapshot.row, slot), of: batch)
    }
}
