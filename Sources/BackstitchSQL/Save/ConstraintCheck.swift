import Backstitch
import BackstitchSupport

/// Finds the objects of a save that violate unique constraints, before the rows are written. So the error can name both
/// objects.
struct ConstraintCheck {
    private let request: SaveChangesRequest
    private let connection: any SQLConnection
    private let model: ResolvedModel
    private let scopes: [Scope]

    /// A constraint, and an entity that has it. Two scopes are equal if they have the same table and columns.
    private struct Scope: Hashable {
        let entity: ResolvedEntity
        let columns: [Int]

        static func == (left: Scope, right: Scope) -> Bool {
            left.entity.tableName == right.entity.tableName && left.columns == right.columns
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(entity.tableName)
            hasher.combine(columns)
        }
    }

    /// Nil when the save writes no entity with constraints.
    init?(_ request: SaveChangesRequest, _ connection: any SQLConnection, model: ResolvedModel) {
        let written = request.updates.map(\.rows.entity) + request.inserts.map(\.entity)
        guard written.contains(where: { !$0.uniquenessConstraints.isEmpty }) else { return nil }
        // In a family one entity is enough for each constraint, because it covers all rows of the table.
        var seen: Set<Scope> = []
        scopes = Set(written).sorted { $0.index < $1.index }.flatMap { entity in
            entity.uniquenessConstraints.map { Scope(entity: entity, columns: $0) }
        }.filter { seen.insert($0).inserted }
        self.request = request
        self.connection = connection
        self.model = model
    }

    /// Compares the save with itself and with the stored rows.
    ///
    /// - Throws: ``BackstitchError/Code/constraint`` with a fault for each object that collides with an earlier one.
    func check() throws {
        var conflicts: [ConstraintConflict] = []
        for scope in scopes { conflicts += try self.conflicts(of: UniqueRows(request, scope.entity, scope.columns)) }
        guard conflicts.isEmpty else {
            throw BackstitchError.combining(
                conflicts.map(\.error), code: .constraint,
                summary: "\(conflicts.count) objects have values that must be unique:")
        }
    }

    /// Clears values that some rows give up and other rows of the save take, for example if two rows exchange them.
    /// This is needed because an index checks each row by itself, not the save as a whole. In each such row one value
    /// is cleared, and the save writes that column anew. The save would not write the constraint's other values again.
    func makeWay() throws {
        for scope in scopes {
            for (column, keys) in UniqueRows(request, scope.entity, scope.columns).keysInTheWay {
                for chunk in SQLStatement.keyChunks(keys, dialect: connection.dialect) {
                    try clear(column, of: scope.entity, chunk)
                }
            }
        }
    }

    private func clear(_ column: Int, of entity: ResolvedEntity, _ keys: ArraySlice<ObjectKey>) throws {
        var statement = SQLStatement(
            connection.dialect,
            "UPDATE \(SQLNames.quoted(SQLNames.table(of: entity))) "
                + "SET \(SQLNames.quoted(entity.properties[column].columnName)) = NULL "
                + "WHERE \(SQLNames.quoted(SQLNames.key))")
        statement.append(isOneOf: keys)
        try connection.run(statement)
    }

    /// The conflicts of one constraint, first within the save, then with stored rows.
    private func conflicts(of rows: UniqueRows) throws -> [ConstraintConflict] {
        var conflicts: [ConstraintConflict] = []
        var owner: [[Value]: ObjectKey] = [:]
        for row in rows.claims {
            if let first = owner[row.values] {
                conflicts.append(rows.conflict(row.values, row.key, rows.id(first), isStored: false))
            } else {
                owner[row.values] = row.key
            }
        }
        let claimed = rows.claims.filter { owner[$0.values] == $0.key }.map(\.values)
        for part in claimed.parts(of: Self.tuplesPerStatement) {
            let stored = try stored(part, of: rows)
            for (values, id) in stored where rows.moved[id.key] == nil {
                guard let claimant = owner[values], claimant != id.key else { continue }
                conflicts.append(rows.conflict(values, claimant, id, isStored: true))
            }
        }
        return conflicts
    }

    private static let tuplesPerStatement = 100

    /// The stored rows with one of these combinations of values.
    private func stored(_ tuples: ArraySlice<[Value]>, of rows: UniqueRows) throws -> [([Value], ObjectID)] {
        let statements = EntityStatements(rows.entity, dialect: connection.dialect)
        var statement = SQLStatement(
            connection.dialect, "SELECT \(statements.rowColumns) FROM \(statements.aliasedTable) WHERE ")
        for (index, tuple) in tuples.enumerated() {
            statement.append(index == 0 ? "(" : " OR (")
            for (position, value) in tuple.enumerated() {
                let name = SQLNames.quoted(rows.entity.properties[rows.columns[position]].columnName)
                statement.append("\(position == 0 ? "" : " AND ")\(EntityStatements.alias).\(name) = ")
                statement.append(value)
            }
            statement.append(")")
        }
        // The text has as many forms as a save has rows, so it is not kept prepared.
        statement.isAdHoc = true
        var builder = RowBatchBuilder(entity: rows.entity)
        try connection.appendRows(of: statement, entity: rows.entity, firstColumn: 0, to: &builder, where: nil)
        let batch = builder.finish()
        return (0..<batch.count).compactMap { row in
            rows.values(of: row, in: batch).map { ($0, batch.objectID(at: row)) }
        }
    }
}

/// The rows of a save as one unique constraint sees them.
private struct UniqueRows {
    let entity: ResolvedEntity
    let columns: [Int]
    /// The new values of rows: first of changed rows, then of new ones, each in order of keys. Rows with a null are
    /// left out.
    private(set) var claims: [(values: [Value], key: ObjectKey)] = []
    /// The rows whose stored values the save replaces. Each has one of the constraint's columns, and the save writes
    /// that column.
    private(set) var moved: [ObjectKey: Int] = [:]
    private var former: [[Value]: ObjectKey] = [:]
    private var names: [ObjectKey: String] = [:]

    init(_ request: SaveChangesRequest, _ entity: ResolvedEntity, _ columns: [Int]) {
        self.entity = entity
        self.columns = columns
        for update in request.updates where update.rows.entity.tableName == entity.tableName {
            for row in 0..<update.rows.count {
                guard let column = columns.first(where: update.changed[row].contains) else { continue }
                moved[update.rows.keys[row]] = column
                if let values = values(of: row, in: update.originals) { former[values] = update.rows.keys[row] }
                claim(row, of: update.rows)
            }
        }
        claims.sort { $0.key < $1.key }
        let changed = claims.count
        for rows in request.inserts where rows.entity.tableName == entity.tableName {
            for row in 0..<rows.count { claim(row, of: rows) }
        }
        claims[changed...].sort { $0.key < $1.key }
    }

    /// Changed rows with former values that other rows take, grouped by the column to clear.
    var keysInTheWay: [(column: Int, keys: [ObjectKey])] {
        guard moved.count > 1 else { return [] }
        let keys = claims.compactMap { row in former[row.values].flatMap { $0 == row.key ? nil : $0 } }.sorted()
        return columns.compactMap { column in
            let own = keys.filter { moved[$0] == column }
            return own.isEmpty ? nil : (column: column, keys: own)
        }
    }

    func values(of row: Int, in batch: RowBatch) -> [Value]? {
        if columns.contains(where: { batch.isNull(row, $0) }) { return nil }
        return columns.map { batch.value(row, $0) }
    }

    func conflict(_ values: [Value], _ key: ObjectKey, _ other: ObjectID, isStored: Bool) -> ConstraintConflict {
        ConstraintConflict(
            entityName: entity.name, keys: columns.map { entity.properties[$0].name }, values: values,
            objectID: id(key), otherObjectID: other, isOtherStored: isStored)
    }

    func id(_ key: ObjectKey) -> ObjectID { ObjectID(entityName: names[key] ?? entity.name, key: key) }

    private mutating func claim(_ row: Int, of batch: RowBatch) {
        if entity.family != nil { names[batch.keys[row]] = batch.entityName(at: row) }
        if let values = values(of: row, in: batch) { claims.append((values, batch.keys[row])) }
    }
}
