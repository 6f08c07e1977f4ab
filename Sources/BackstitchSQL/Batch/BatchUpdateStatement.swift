import Backstitch

/// A batch update with constants as one statement. No row leaves the database, only the keys of the changed rows.
struct BatchUpdateStatement {
    private let entity: ResolvedEntity
    private let columns: PropertySet
    private let statement: SQLStatement

    /// Nil when a new value is not a constant or must be unique. Rows are then written one by one, and errors name
    /// them.
    init?(
        _ fetch: StoreFetchRequest, _ assignments: [BatchAssignment], _ model: ResolvedModel, _ dialect: some SQLDialect
    ) throws {
        let constants = assignments.compactMap { assignment in assignment.constant.map { (assignment.column, $0) } }
        // Each row of a family must be known with its entity.
        guard fetch.entity.family == nil else { return nil }
        let unique = Set(fetch.entity.uniquenessConstraints.joined())
        guard constants.count == assignments.count, unique.isDisjoint(with: constants.map(\.0)) else { return nil }
        entity = fetch.entity
        columns = PropertySet(constants.map(\.0))
        let key = SQLNames.quoted(SQLNames.key), version = SQLNames.quoted(SQLNames.version)
        var statement = SQLStatement(dialect, "UPDATE \(SQLNames.quoted(SQLNames.table(of: entity))) SET ")
        statement.isAdHoc = true
        for (column, value) in constants {
            statement.append("\(SQLNames.quoted(fetch.entity.properties[column].columnName)) = ")
            statement.append(value)
            statement.append(", ")
        }
        statement.append("\(version) = \(version) + 1 WHERE \(key) IN (")
        let selection = try SQLPredicateBuilder(model: model, dialect: dialect.predicates).selection(fetch)
        let alias = SQLRowSelection.alias
        statement.append(selection.statement(columns: "\(alias).\(key)"))
        statement.append("\(dialect.rowLock(.update, of: alias))) AND (")
        for (index, (column, value)) in constants.enumerated() {
            if index > 0 { statement.append(" OR ") }
            statement.append(SQLNames.quoted(fetch.entity.properties[column].columnName))
            statement.append(" \(dialect.isDistinctFrom) ")
            statement.append(value)
        }
        statement.append(") RETURNING \(key)")
        self.statement = statement
    }

    /// Runs the update, and returns the changed keys for history.
    func run(on connection: any SQLConnection) throws -> HistorySegment {
        var segment = HistorySegment(entity: entity, kind: .update, keys: [])
        try connection.forEachRow(of: statement) { segment.keys.append(try $0.key(0)) }
        segment.properties = Array(repeating: columns, count: segment.keys.count)
        return segment
    }
}
