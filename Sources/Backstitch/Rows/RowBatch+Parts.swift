extension RowBatch {
    /// Returns the rows in the order of their keys. Complexity: O(rows) when they are sorted already, else O(rows log
    /// rows).
    package func sortedByKey() -> RowBatch {
        let isSorted = keys.indices.dropFirst().allSatisfy { keys[$0 - 1] < keys[$0] }
        if isSorted { return self }
        var builder = RowBatchBuilder(entity: entity, capacity: count)
        for row in keys.indices.sorted(by: { keys[$0] < keys[$1] }) { builder.appendRow(row, of: self) }
        return builder.finish()
    }

    /// Gives the rows in batches of up to `size`, in order. So no more objects are made at a time than were asked for.
    func forEachPart(of size: Int, _ body: (RowBatch) throws -> Void) throws {
        guard count > size, size > 0 else {
            if count > 0 { try body(self) }
            return
        }
        for start in stride(from: 0, to: count, by: size) {
            let end = min(start + size, count)
            var builder = RowBatchBuilder(entity: entity, capacity: end - start)
            for row in start..<end { builder.appendRow(row, of: self) }
            try body(builder.finish())
        }
    }
}
