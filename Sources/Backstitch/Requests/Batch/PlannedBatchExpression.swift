/// An expression with its names resolved in an entity.
package indirect enum PlannedBatchExpression: Sendable, Hashable {
    /// A constant, in its form in rows.
    case constant(Value)
    /// The value of a column of the row.
    case column(Int)
    /// An operation on two operands.
    case operation(BatchExpression.Operation, PlannedBatchExpression, PlannedBatchExpression)

    /// The constant, if the expression is one.
    package var constant: Value? {
        if case .constant(let value) = self { value } else { nil }
    }

    /// Computes the value for a row.
    ///
    /// - Throws: ``BackstitchError/Code/invalidValue`` if the operands' types do not fit or the result is out of range.
    package func value(_ batch: RowBatch, _ row: Int) throws -> Value {
        switch self {
        case .constant(let value): return value
        case .column(let column): return batch.value(row, column)
        case .operation(let operation, let left, let right):
            let left = try left.value(batch, row), right = try right.value(batch, row)
            if left.isNull || right.isNull { return .null }
            if let result = operation.apply(left, right) { return result }
            throw BackstitchError(
                .invalidValue, "\(left.summary) \(operation.rawValue) \(right.summary) has no exact result")
        }
    }
}
