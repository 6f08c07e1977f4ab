import Backstitch

/// Changes the entity names that rows of a family's table contain.
///
/// Between ``begin()`` and ``finish()``, rows of removed entities are marked. The code of a stage can still find them.
struct FamilyChange {
    private let connection: any SQLConnection
    private let mapping: ModelMapping
    private let old: LegacySchemaNames
    private let root: ResolvedEntity
    private let origin: ResolvedEntity

    /// Creates the change of one table.
    ///
    /// - Parameter root: The new family's root, or an entity without a family.
    /// - Parameter origin: The root or entity of the old model whose table it was.
    init(
        _ connection: any SQLConnection, _ mapping: ModelMapping, _ old: LegacySchemaNames, _ root: ResolvedEntity,
        _ origin: ResolvedEntity
    ) {
        self.connection = connection
        self.mapping = mapping
        self.old = old
        self.root = root
        self.origin = origin
    }

    func begin() throws {
        if let kind = Self.column(of: origin, old) {
            try rename(kind)
        } else if root.family != nil, let name = mapping.successor(of: origin)?.name {
            try run("UPDATE \(table) SET \(SQLNames.quoted(EntityFamily.columnName)) = '\(name)'")
        }
    }

    /// Copies attributes to their new columns, if rows of some entities now keep them in another column.
    func moveValues() throws {
        for move in mapping.moves where move.entity.tableName == root.tableName && !move.changesPlace {
            let source = old.column(of: move.source, in: origin)
            try run(
                "UPDATE \(table) SET \(SQLNames.quoted(move.property.columnName)) = \(SQLNames.quoted(source)) "
                    + "WHERE \(Self.list([move.entity.name], EntityFamily.columnName))")
        }
    }

    func finish() throws {
        guard let kind = Self.column(of: origin, old) else { return }
        try run("DELETE FROM \(table) WHERE \(SQLNames.quoted(kind)) LIKE '-%'")
        guard root.family != nil else { return }
        // An entity may have lost attributes that its relatives still have.
        for column in root.columns where column.slot != root.family?.slot {
            let names = mapping.new.entities.filter { entity in
                entity.tableName == root.tableName && !entity.owns(column.slot)
                    && mapping.origin(of: column, in: entity).map { before in
                        mapping.origin(of: entity)?.owns(before.slot) ?? false
                    } ?? false
            }.map(\.name)
            guard !names.isEmpty else { continue }
            try run("UPDATE \(table) SET \(SQLNames.quoted(column.columnName)) = NULL WHERE \(Self.list(names, kind))")
        }
    }

    private var table: String { SQLNames.quoted(SQLNames.table(of: root)) }

    /// Renames all entities at once, because names may be exchanged.
    private func rename(_ kind: String) throws {
        let members = mapping.old.entities.filter { $0.tableName == origin.tableName }
        let changed = members.map { ($0.name, Self.mark(of: $0, mapping)) }.filter { $0.0 != $0.1 }
        guard !changed.isEmpty else { return }
        let cases = changed.map { "WHEN '\($0.0)' THEN '\($0.1)'" }.joined(separator: " ")
        let name = SQLNames.quoted(kind)
        try run("UPDATE \(table) SET \(name) = CASE \(name) \(cases) END WHERE \(Self.list(changed.map(\.0), kind))")
    }

    private func run(_ text: String) throws {
        var statement = SQLStatement(connection.dialect, text)
        statement.isAdHoc = true
        try connection.run(statement)
    }
}

extension FamilyChange {
    /// The name in rows of an old entity during the migration. A model's names have only letters, digits and
    /// underscores, so a mark with `-` is unique.
    private static func mark(of entity: ResolvedEntity, _ mapping: ModelMapping) -> String {
        mapping.successor(of: entity)?.name ?? "-\(entity.name)"
    }

    /// The present name of the column with the entity's name in an old family; nil for an entity without a family.
    private static func column(of entity: ResolvedEntity, _ old: LegacySchemaNames) -> String? {
        entity.family.map { old.column(of: entity.properties[$0.slot], in: entity) }
    }

    private static func list(_ names: [String], _ column: String) -> String {
        "\(SQLNames.quoted(column)) IN (\(names.map { "'\($0)'" }.joined(separator: ", ")))"
    }

    /// The condition for rows of an old entity and the entities below it; nil when it includes all rows of its table.
    static func condition(rowsOf entity: ResolvedEntity, _ mapping: ModelMapping, _ old: LegacySchemaNames) -> String? {
        guard let column = column(of: entity, old), !entity.isRoot else { return nil }
        let members = mapping.old.entities.filter { entity.includes($0.name) }
        return "\(EntityStatements.alias).\(list(members.map { mark(of: $0, mapping) }, column))"
    }

    /// The end of a condition that limits it to rows with a certain column; empty when all rows have it.
    static func condition(
        ownersOf column: ResolvedProperty, _ entity: ResolvedEntity, _ model: ResolvedModel
    ) -> String {
        condition(rowsOf: model.entities.filter { $0.tableName == entity.tableName && $0.owns(column.slot) })
    }

    /// The end of a condition that limits it to rows of some entities of one table. It is empty for a table with rows
    /// of only one entity.
    static func condition(rowsOf entities: [ResolvedEntity]) -> String {
        entities.allSatisfy { $0.family == nil } ? "" : " AND \(list(entities.map(\.name), EntityFamily.columnName))"
    }
}
