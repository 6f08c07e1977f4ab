import Backstitch

extension RowBatch {
    /// The columns that differ, bit for bit, between a row and a row of another batch of the same entity. Columns that
    /// the database computes are left out.
    func columns(of row: Int, unlike otherRow: Int, in other: RowBatch) -> PropertySet {
        var changed = PropertySet()
        for column in 0..<entity.columnCount where !isEqual(row, column, to: otherRow, in: other) {
            if entity.properties[column].isDerived { continue }
            changed.insert(column)
        }
        return changed
    }

    private func isEqual(_ row: Int, _ column: Int, to otherRow: Int, in other: RowBatch) -> Bool {
        let isNull = isNull(row, column)
        if isNull || other.isNull(otherRow, column) { return isNull == other.isNull(otherRow, column) }
        guard entity.properties[column].isInArena else { return cell(row, column) == other.cell(otherRow, column) }
        return withBytes(row, column) { left in
            other.withBytes(otherRow, column) { right in
                left.count == right.count && left.elementsEqual(right)
            }
        }
    }

    /// The last row of each key, in order. A batch may hold a key twice, and then the later row counts.
    func lastRowsOfKeys() -> [Int] {
        var last: [ObjectKey: Int] = [:]
        for (row, key) in keys.enumerated() { last[key] = row }
        return last.count == keys.count ? Array(keys.indices) : last.values.sorted()
    }
}
