import Backstitch

/// The queries for the destinations of a relationship. They return a source's key, then the destination's row. They are
/// built once for a store: a fault needs one source, and to build its text would take as long as to run it.
struct RelationshipStatements: Sendable {
    private let dialect: any SQLDialect
    /// The query up to the keys of the sources.
    private let head: String
    private let ofOneSource: String

    /// Creates the queries from `head`, the text up to the column that is compared with the sources' keys.
    init(_ head: String, dialect: some SQLDialect) {
        self.dialect = dialect
        self.head = head
        ofOneSource = "\(head) = \(dialect.placeholder(1))"
    }

    /// The destinations of these sources.
    func related(sources: ArraySlice<ObjectKey>) -> SQLStatement {
        if sources.count == 1, let source = sources.first { return SQLStatement(dialect, ofOneSource, key: source) }
        var statement = SQLStatement(dialect, head)
        statement.append(isOneOf: sources)
        return statement
    }
}

extension ModelStatements {
    /// The queries for the destinations of a relationship of `entity`, with their rows or only their keys; nil for an
    /// attribute.
    static func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, in model: ResolvedModel,
        _ statements: (ResolvedEntity) -> EntityStatements, keysOnly: Bool = false
    ) -> RelationshipStatements? {
        guard let relationship = property.relationship else { return nil }
        let own = statements(entity), destination = statements(model.destination(of: relationship))
        let head =
            if let table = SQLLinkTable(of: property, in: entity, model: model) {
                LinkStatements(table, dialect: own.dialect).relatedHead(destination, keysOnly: keysOnly)
            } else if relationship.storage == .column {
                own.referredHead(by: property, to: destination, keysOnly: keysOnly)
            } else {
                destination.referringHead(by: model.inverse(of: relationship), keysOnly: keysOnly)
            }
        return RelationshipStatements(head, dialect: own.dialect)
    }
}
