import Backstitch

/// Changes the tables of a store in place, from one model to another, inside a transaction that the caller has begun.
///
/// First, tables and columns that will be removed get other names. So their names are free for new ones, and their
/// values can be moved. They are dropped at the end. Tables are never copied: renames and added columns cost the same
/// for a large table as for an empty one.
struct SchemaMigrator {
    let connection: any SQLConnection
    let mapping: ModelMapping
    private let content: any MigrationContent
    /// The places of the old model's values until the end.
    private(set) var old: LegacySchemaNames
    private let oldTables: [SQLTable]
    private let newTables: [SQLTable]
    /// Renamed or removed columns, by the former name of their table.
    private var touched: [String: Set<String>] = [:]
    private var doomedColumns: [(table: String, column: String)] = []
    private var doomedTables: [String] = []
    private var count = 0

    init(_ connection: any SQLConnection, _ mapping: ModelMapping, _ content: any MigrationContent) throws {
        self.connection = connection
        self.mapping = mapping
        self.content = content
        old = LegacySchemaNames(mapping.old)
        oldTables = try SQLSchema(mapping.old, dialect: connection.dialect).tables()
        newTables = try SQLSchema(mapping.new, dialect: connection.dialect).tables()
    }

    /// Makes space for the new model. Afterwards all of its tables and columns exist. They are filled as the mapping
    /// says, except for ``ColumnFill/Columns/former``. Removed parts of the old model still exist under other names.
    mutating func begin() throws {
        for object in oldTables.flatMap(\.objects) where object.isTrigger {
            try run(object.removal(from: object.table, dialect: dialect))
        }
        try renameTables()
        for entity in mapping.new.entities where entity.isRoot {
            guard let origin = mapping.tableOrigin(of: entity) else { continue }
            try changeColumns(of: entity, from: origin)
            let family = FamilyChange(connection, mapping, old, entity, origin)
            try family.begin()
            try family.moveValues()
        }
        let present = Set(old.tables.values)
        for table in newTables where !present.contains(table.name) { try run(table.statement) }
        try ColumnFill(connection, mapping, content).run(.new)
        try LinkMove(connection, mapping, old).run()
        try ContentMove(connection, mapping, old, content).run()
    }

    /// Removes the old model's remaining tables and columns, and makes indexes, triggers and derived values.
    func finish() throws {
        for entity in mapping.new.entities where entity.isRoot {
            guard let origin = mapping.tableOrigin(of: entity) else { continue }
            try FamilyChange(connection, mapping, old, entity, origin).finish()
        }
        let kept = keptObjects
        for object in oldTables.flatMap(\.objects) where !object.isTrigger && !kept.contains(object) {
            try run(object.removal(from: object.table, dialect: dialect))
        }
        for (table, column) in doomedColumns {
            try run("ALTER TABLE \(SQLNames.quoted(table)) DROP COLUMN \(SQLNames.quoted(column))")
        }
        for table in doomedTables { try run("DROP TABLE \(SQLNames.quoted(table))") }
        try UniqueValues(connection, mapping.new).require(besides: Set(kept.map(\.name)))
        let derived = DerivedColumns(mapping.new, dialect)
        for text in derived.functions() + derived.fills() { try run(text) }
        for object in newTables.flatMap(\.objects) where object.isTrigger || !kept.contains(object) {
            try run(object.statement)
        }
    }

    private var dialect: any SQLDialect { connection.dialect }

    /// Indexes and other objects whose tables and columns have not changed.
    private var keptObjects: Set<SQLSchemaObject> {
        let same = oldTables.filter { old.tables[$0.name] == $0.name }.flatMap(\.objects).filter { object in
            !object.isTrigger && !(touched[object.table] ?? []).contains(where: object.mentions)
        }
        return Set(same).intersection(newTables.flatMap(\.objects))
    }

    private func run(_ text: String) throws {
        var statement = SQLStatement(dialect, text)
        statement.isAdHoc = true
        try connection.run(statement)
    }

    /// A name that no model can have.
    private mutating func temporaryName() -> String {
        count += 1
        return "_old\(count)"
    }
}

// Renames and added columns.
extension SchemaMigrator {
    /// Renames tables in two steps through temporary names, because names may be exchanged. Tables without a successor
    /// keep the temporary name.
    private mutating func renameTables() throws {
        var final: [(temporary: String, name: String, before: String)] = []
        for table in oldTables {
            let successor = old.successor(ofTable: table.name, mapping)
            if successor == table.name { continue }
            let temporary = temporaryName()
            try run("ALTER TABLE \(SQLNames.quoted(table.name)) RENAME TO \(SQLNames.quoted(temporary))")
            if let successor {
                final.append((temporary, successor, table.name))
            } else {
                old.tables[table.name] = temporary
                doomedTables.append(temporary)
            }
        }
        for (temporary, name, before) in final {
            try run("ALTER TABLE \(SQLNames.quoted(temporary)) RENAME TO \(SQLNames.quoted(name))")
            old.tables[before] = name
        }
    }

    /// Renames, adds and widens the columns of a table. Columns without a successor get a temporary name.
    private mutating func changeColumns(of entity: ResolvedEntity, from origin: ResolvedEntity) throws {
        let table = SQLNames.table(of: entity)
        var final: [(temporary: String, name: String, before: ResolvedProperty)] = []
        var kept: Set<Int> = []
        for column in origin.columns {
            // Bytes that change their place get a new column, which is filled later.
            let successor = mapping.successor(of: column, in: origin).flatMap {
                $0.slot < entity.columnCount && !$0.isElsewhere(than: column) ? $0 : nil
            }
            if let successor { kept.insert(successor.slot) }
            if successor?.columnName == column.columnName { continue }
            touched[SQLNames.table(of: origin), default: []].insert(column.columnName)
            let temporary = temporaryName()
            try rename(column.columnName, to: temporary, in: table)
            if let successor {
                final.append((temporary, successor.columnName, column))
            } else {
                old.columns[LegacySchemaNames.Column(origin, column)] = temporary
                doomedColumns.append((table, temporary))
            }
        }
        for (temporary, name, before) in final {
            try rename(temporary, to: name, in: table)
            old.columns[LegacySchemaNames.Column(origin, before)] = name
        }
        for column in entity.columns where !kept.contains(column.slot) { try add(column, of: entity) }
        for column in origin.columns {
            guard let successor = mapping.successor(of: column, in: origin), kept.contains(successor.slot),
                dialect.type(of: successor) != dialect.type(of: column)
            else { continue }
            touched[SQLNames.table(of: origin), default: []].insert(column.columnName)
            try run(
                dialect.widening(
                    of: SQLNames.quoted(successor.columnName), to: dialect.type(of: successor),
                    in: SQLNames.quoted(table)))
        }
    }

    private func rename(_ column: String, to name: String, in table: String) throws {
        try run(
            "ALTER TABLE \(SQLNames.quoted(table)) RENAME COLUMN \(SQLNames.quoted(column)) TO \(SQLNames.quoted(name))"
        )
    }

    /// Adds a column. Existing rows get the default without a write, because the database keeps it beside the table.
    private func add(_ column: ResolvedProperty, of entity: ResolvedEntity) throws {
        let table = SQLNames.table(of: entity)
        // In a family not all rows have the attribute, and a row whose bytes move may have none.
        let isNew = mapping.origin(of: column, in: entity) == nil
        let attribute = entity.family == nil && isNew ? column.attribute : nil
        let statements = dialect.addition(
            of: SQLNames.quoted(column.columnName), dialect.declaration(of: column), to: SQLNames.quoted(table),
            default: attribute.flatMap { $0.defaultLiteral(dialect) })
        for statement in statements { try run(statement) }
    }
}
