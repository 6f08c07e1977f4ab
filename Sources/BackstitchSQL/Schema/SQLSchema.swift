package import Backstitch

/// The statements that make a store's tables.
///
/// There are no foreign keys: a reference may lead to an object that has not arrived yet.
package struct SQLSchema: Sendable {
    private let model: ResolvedModel
    private let dialect: SQLDialect

    /// The schema of `model`.
    ///
    /// - Throws: ``BackstitchError/Code/invalidModel`` naming each entity whose table's name is taken by the database
    ///   or by Backstitch.
    package init(_ model: ResolvedModel, dialect: SQLDialect) throws {
        self.model = model
        self.dialect = dialect
        let faults = model.entities.filter { Self.isReserved($0.name) }.map {
            BackstitchError(
                .invalidModel,
                "entity \($0.name) cannot be stored: names that begin with "
                    + "\(Self.reserved.joined(separator: " or ")) are taken",
                key: $0.name)
        }
        guard faults.isEmpty else {
            throw BackstitchError.combining(
                faults, code: .invalidModel, summary: "\(faults.count) entities cannot be stored:")
        }
    }

    /// The statements, in order. Run them in one transaction.
    package func statements() -> [String] {
        SystemTables.statements(dialect) + DerivedColumns(model, dialect).functions()
            + tables().flatMap { [$0.statement] + $0.objects.map(\.statement) }
    }

    /// The model's tables, with what belongs to each.
    func tables() -> [SQLTable] {
        let triggers = DerivedColumns(model, dialect).triggers()
        return model.entities.filter(\.isRoot).flatMap { tables(of: $0, triggers) }
    }

    private static let reserved = ["backstitch_", "sqlite_"]

    private static func isReserved(_ name: String) -> Bool {
        reserved.contains { name.lowercased().hasPrefix($0) }
    }

    private func tables(of entity: ResolvedEntity, _ triggers: [String: [String]]) -> [SQLTable] {
        let own = SQLTable(
            name: SQLNames.table(of: entity),
            statements: [table(of: entity)] + columnIndexes(of: entity) + uniqueIndexes(of: entity)
                + FetchIndexes(model: model, dialect: dialect).statements(for: entity)
                + (triggers[SQLNames.table(of: entity)] ?? []))
        return [own]
            + entity.properties.filter { $0.relationship?.storage == .ownedLinks }.map { property in
                SQLTable(
                    name: SQLNames.linkTable(owner: entity, property: property),
                    statements: linkTable(of: property, in: entity)
                        + (triggers[SQLNames.linkTable(owner: entity, property: property)] ?? []))
            }
    }

    private func table(of entity: ResolvedEntity) -> String {
        let key = SQLNames.quoted(SQLNames.key), version = SQLNames.quoted(SQLNames.version)
        let columns = entity.columns.map { SQLColumnType.declaration(of: $0, in: dialect) }
        let system =
            switch dialect {
            case .sqlite: ["\(key) BLOB NOT NULL PRIMARY KEY", "\(version) INTEGER NOT NULL"]
            case .postgreSQL: ["\(key) uuid NOT NULL PRIMARY KEY", "\(version) bigint NOT NULL"]
            }
        return "CREATE TABLE \(SQLNames.quoted(SQLNames.table(of: entity))) "
            + "(\((system + columns).joined(separator: ", ")))\(rowidClause(for: entity))"
    }

    /// A table without rowid keeps rows in the tree of their keys, which saves a second look-up. Bytes in the rows
    /// would make that tree deep, so entities that hold some keep the rowid and find keys through an index.
    private func rowidClause(for entity: ResolvedEntity) -> String {
        guard dialect == .sqlite else { return "" }
        let isWide = entity.columns.contains { property in
            switch property.attribute?.type {
            case .binary: property.attribute?.allowsExternalStorage == false
            case .transformable: true
            default: false
            }
        }
        return isWide ? "" : " WITHOUT ROWID"
    }

    private func columnIndexes(of entity: ResolvedEntity) -> [String] {
        entity.columns.filter { $0.relationship != nil || $0.slot == entity.family?.slot }.map { property in
            "CREATE INDEX \(SQLNames.quoted("index.\(entity.name).\(property.columnName)")) "
                + "ON \(SQLNames.quoted(SQLNames.table(of: entity))) (\(SQLNames.quoted(property.columnName)))"
        }
    }

    /// Nulls are distinct in a unique index, in both dialects.
    private func uniqueIndexes(of entity: ResolvedEntity) -> [String] {
        let relatives = model.entities.filter { $0 !== entity && $0.isKind(of: entity) }.flatMap(
            \.uniquenessConstraints)
        var seen: Set<[Int]> = []
        return (entity.uniquenessConstraints + relatives).filter { seen.insert($0).inserted }.map { columns in
            let names = columns.map { SQLNames.quoted(entity.properties[$0].columnName) }.joined(separator: ", ")
            return "CREATE UNIQUE INDEX \(SQLNames.quoted(SQLNames.uniqueIndex(of: entity, columns: columns))) "
                + "ON \(SQLNames.quoted(SQLNames.table(of: entity))) (\(names))"
        }
    }

    private func linkTable(of property: ResolvedProperty, in entity: ResolvedEntity) -> [String] {
        let table = SQLNames.quoted(SQLNames.linkTable(owner: entity, property: property))
        let source = SQLNames.quoted(SQLNames.source), target = SQLNames.quoted(SQLNames.target)
        let (type, ending) = dialect == .sqlite ? ("BLOB", " WITHOUT ROWID") : ("uuid", "")
        return [
            "CREATE TABLE \(table) (\(source) \(type) NOT NULL, \(target) \(type) NOT NULL, "
                + "PRIMARY KEY (\(source), \(target)))\(ending)",
            "CREATE INDEX \(SQLNames.quoted("index.\(entity.name).\(property.columnName)")) ON \(table) (\(target), "
                + "\(source))",
        ]
    }
}
