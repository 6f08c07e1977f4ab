/// A column's new value in a batch update.
public struct BatchAssignment: Sendable {
    /// The position of the column in the row.
    public let column: Int
    package let expression: PlannedBatchExpression

    package init(column: Int, expression: PlannedBatchExpression) {
        self.column = column
        self.expression = expression
    }

    /// Computes the new value of the column for a row.
    ///
    /// - Throws: ``BackstitchError/Code/invalidValue`` with the object and the column if the expression has no value of
    ///   the column's type; ``BackstitchError/Code/validation`` if the result is nil and the column is required.
    public func value(for row: Int, of batch: RowBatch) throws -> Value {
        let property = batch.entity.properties[column]
        do {
            let value = try expression.value(batch, row)
            guard let attribute = property.attribute, expression.constant == nil else { return value }
            // A row without a value stays as it is.
            if value.isNull, !attribute.isOptional, !batch.isNull(row, column) {
                throw missing(property, of: batch.objectID(at: row))
            }
            return try attribute.accept(value)
        } catch let error as BackstitchError where error.code == .invalidValue {
            let id = batch.objectID(at: row)
            throw BackstitchError(
                .invalidValue, "\(id).\(property.name) cannot be updated: \(error.message)", objectID: id,
                key: property.name, cause: error)
        }
    }

    private func missing(_ property: ResolvedProperty, of id: ObjectID) -> BackstitchError {
        BackstitchError(
            .validation,
            "a batch update cannot set \(id).\(property.name) to nil, the result of its expression: it must have "
                + "a value; exclude such objects with the predicate, or make it optional in the model", objectID: id,
            key: property.name)
    }

    /// The value, if it is the same for all rows; nil if it depends on the row.
    public var constant: Value? { expression.constant }
}
