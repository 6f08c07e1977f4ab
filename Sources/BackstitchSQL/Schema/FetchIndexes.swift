import Backstitch

/// The indexes that a model declares.
///
/// A fetch uses an index only if both contain the same expression. So the expressions here are those of the dialect's
/// predicates: nulls first, decimals by value, NaN as nil, text folded.
struct FetchIndexes {
    let model: ResolvedModel
    let dialect: any SQLDialect

    /// The indexes of an entity's table.
    func indexes(of entity: ResolvedEntity) -> [SQLSchemaObject] {
        let table = SQLNames.table(of: entity)
        return model.fetchIndexes(ofTable: entity).map { elements in
            let names = elements.map(\.description.description).joined(separator: "+")
            return SQLSchemaObject(index: "fetch.\(table).\(names)", on: table, terms: elements.map(term))
        }
    }

    private func term(_ element: ResolvedIndexElement) -> String {
        let predicates = dialect.predicates, kind = element.kind
        let column = predicates.column(SQLNames.quoted(element.property.columnName), as: kind)
        let folded = predicates.folded(column, element.description.options)
        // An expression needs parentheses. A bare column must have none, or the database would take it for an
        // expression.
        let isBare = folded == SQLFragment(SQLNames.quoted(element.property.columnName))
        let operand = SQLOperand(isBare ? folded : folded.inParentheses, kind)
        return predicates.order(operand, ascending: element.description.isAscending)
    }
}

extension ResolvedIndexElement {
    /// The kind for the comparison of its values.
    fileprivate var kind: PlannedKind {
        switch property.attribute?.type {
        case .integer16, .integer32, .integer64: .integer
        case .boolean: .boolean
        case .date: .date
        case .double, .float: .double
        case .decimal: .decimal
        case .string, .uri: .text
        case .uuid: .uuid
        case .binary, .transformable: .bytes
        case nil: .uuid
        }
    }
}

extension ResolvedModel {
    /// Whether an index contains a property's text, folded with these options.
    func hasIndex(on property: ResolvedProperty, of entity: ResolvedEntity, folded options: FetchTextOptions) -> Bool {
        fetchIndexes(ofTable: entity).contains { elements in
            elements.contains { $0.property.slot == property.slot && $0.description.options == options }
        }
    }
}
