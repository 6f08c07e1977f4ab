import Backstitch

/// Checks whether the rows of a store satisfy a model's unique constraints. This happens before the indexes are made,
/// because their errors would not name the values.
struct UniqueValues {
    private let connection: any SQLConnection
    private let model: ResolvedModel

    init(_ connection: any SQLConnection, _ model: ResolvedModel) {
        self.connection = connection
        self.model = model
    }

    /// Checks all constraints without an index.
    ///
    /// - Parameter indexes: Quoted names of existing indexes. Their constraints are already satisfied.
    /// - Throws: ``BackstitchError/Code/constraint`` with a fault for each constraint that the rows break.
    func require(besides indexes: Set<String>) throws {
        var faults: [BackstitchError] = []
        var seen: Set<String> = []
        for entity in model.entities {
            for columns in entity.uniquenessConstraints
            where !indexes.contains(SQLNames.quoted(SQLNames.uniqueIndex(of: entity, columns: columns))) {
                // Entities of a family share their table and inherit constraints.
                guard seen.insert(SQLNames.uniqueIndex(of: entity, columns: columns)).inserted else { continue }
                let properties = columns.map { entity.properties[$0] }
                let count = try sharedValues(properties.map(\.columnName), of: entity)
                guard count > 0 else { continue }
                let names = properties.map(\.name).joined(separator: ", ")
                let examples = try examples(properties, of: entity)
                let more = count > examples.count ? ", …" : ""
                faults.append(
                    BackstitchError(
                        .constraint,
                        "no two \(entity.name) may have the same \(names), but \(count) values occur more than "
                            + "once: \(examples.joined(separator: "; "))\(more). Make them different first, or in a "
                            + "migration stage",
                        key: names))
            }
        }
        guard faults.isEmpty else {
            throw BackstitchError.combining(
                faults, code: .constraint, summary: "\(faults.count) unique constraints do not fit the stored values:")
        }
    }

    private static let mostExamples = 10

    /// Some of the shared values, in words.
    private func examples(_ properties: [ResolvedProperty], of entity: ResolvedEntity) throws -> [String] {
        let columns = properties.map { SQLNames.quoted($0.columnName) }.joined(separator: ", ")
        // Decimals are read as text, because databases keep them in different types.
        let values = properties.map { property in
            let column = SQLNames.quoted(property.columnName)
            return property.attribute?.type == .decimal ? "CAST(\(column) AS text)" : column
        }
        var query = SQLStatement(
            connection.dialect,
            "SELECT \(values.joined(separator: ", "))\(source(properties.map(\.columnName), of: entity)) ORDER BY \(columns) LIMIT \(Self.mostExamples)"
        )
        query.isAdHoc = true
        let results = ResolvedEntity(
            table: entity.name,
            columns: properties.map {
                // A to-one column holds a key, read like a UUID.
                ($0.name, $0.attribute ?? AttributeDescription($0.name, .uuid))
            })
        var builder = RowBatchBuilder(entity: results)
        try connection.appendValues(of: query, results: results, to: &builder)
        let batch = builder.finish()
        return (0..<batch.count).map { row in
            properties.indices.map { batch.value(row, $0).summary }.joined(separator: " with ")
        }
    }

    /// The end of a query for the shared values.
    private func source(_ names: [String], of entity: ResolvedEntity) -> String {
        let columns = names.map(SQLNames.quoted)
        return " FROM \(SQLNames.quoted(SQLNames.table(of: entity))) WHERE "
            + columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
            + " GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1"
    }

    /// The number of values that several rows share.
    private func sharedValues(_ names: [String], of entity: ResolvedEntity) throws -> Int64 {
        var query = SQLStatement(
            connection.dialect, "SELECT count(*) FROM (SELECT 1 AS one\(source(names, of: entity))) AS shared")
        query.isAdHoc = true
        var count: Int64 = 0
        try connection.forEachRow(of: query) { count = $0.int(0) }
        return count
    }
}
