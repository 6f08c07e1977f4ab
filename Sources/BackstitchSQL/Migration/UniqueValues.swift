import Backstitch

/// Finds out whether the rows of a store fit a model's unique constraints, before the indexes are made that would not say where.
struct UniqueValues {
    private let connection: any SQLConnection
    private let model: ResolvedModel

    init(_ connection: any SQLConnection, _ model: ResolvedModel) {
        self.connection = connection
        self.model = model
    }

    /// - Parameter indexes: Quoted names of indexes that were there before, and so vouch for their constraints.
    /// - Throws: ``BackstitchError/Code/constraint`` with a fault for each constraint that rows break.
    func require(besides indexes: Set<String>) throws {
        var faults: [BackstitchError] = []
        var seen: Set<String> = []
        for entity in model.entities {
            for columns in entity.uniquenessConstraints
            where !indexes.contains(SQLNames.quoted(SQLNames.uniqueIndex(of: entity, columns: columns))) {
                // Entities of a family share their table, and inherit constraints.
                guard seen.insert(SQLNames.uniqueIndex(of: entity, columns: columns)).inserted else { continue }
                let count = try sharedValues(columns.map { entity.properties[$0].name }, of: entity)
                guard count > 0 else { continue }
                let names = columns.map { entity.properties[$0].name }.joined(separator: ", ")
                faults.append(
                    BackstitchError(
                        .constraint,
                        "no two \(entity.name) may have the same \(names), but \(count) values are those of several; make them "
                            + "different first, or in a migration stage", key: names))
            }
        }
        guard faults.isEmpty else {
            throw BackstitchError.combining(
                faults, code: .constraint, summary: "\(faults.count) unique constraints do not fit what is stored:")
        }
    }

    private func sharedValues(_ names: [String], of entity: ResolvedEntity) throws -> Int64 {
        let columns = names.map(SQLNames.quoted)
        var query = SQLStatement(
            connection.dialect,
            "SELECT count(*) FROM (SELECT 1 AS one FROM \(SQLNames.quoted(SQLNames.table(of: entity))) WHERE "
                + columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
                + " GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1) AS shared")
        query.isAdHoc = true
        var count: Int64 = 0
        try connection.forEachRow(of: query) { count = $0.int(0) }
        return count
    }
}
