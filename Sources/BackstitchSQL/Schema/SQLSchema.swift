package import Backstitch

/// The statements that make a store's tables.
///
/// There are no foreign keys, because a reference may lead to an object that has not arrived yet.
package struct SQLSchema: Sendable {
    private let model: ResolvedModel
    private let dialect: any SQLDialect

    /// Creates the schema of `model`.
    ///
    /// - Throws: ``BackstitchError/Code/invalidModel`` with each entity and property whose table or column name is
    ///   reserved by the database or by Backstitch.
    package init(_ model: ResolvedModel, dialect: some SQLDialect) throws {
        self.model = model
        self.dialect = dialect
        let reserved = ["backstitch_"] + dialect.reservedPrefixes
        var faults = model.entities.filter { entity in
            reserved.contains { entity.name.lowercased().hasPrefix($0) }
        }.map {
            BackstitchError(
                .invalidModel,
                "entity \($0.name) cannot be stored: names that begin with \(reserved.joined(separator: " or ")) are taken",
                key: $0.name)
        }
        for entity in model.entities where entity.isRoot {
            for column in entity.columns where dialect.reservedColumns.contains(column.columnName) {
                let path = "\(column.declaringEntity ?? entity.name).\(column.name)"
                faults.append(
                    BackstitchError(
                        .invalidModel,
                        "\(path) cannot be stored: the database has a column \(column.name) of its own in each table; name the "
                            + "property otherwise", key: path))
            }
        }
        guard faults.isEmpty else {
            throw BackstitchError.combining(
                faults, code: .invalidModel, summary: "\(faults.count) names of the model cannot be stored:")
        }
    }

    /// The statements, in order. Run them in one transaction.
    package func statements() -> [String] {
        SystemTables.statements(dialect) + DerivedColumns(model, dialect).functions()
            + tables().flatMap { [$0.statement] + $0.objects.map(\.statement) }
    }

    /// The model's tables, each with its indexes and triggers.
    func tables() -> [SQLTable] {
        let triggers = DerivedColumns(model, dialect).triggers()
        return model.entities.filter(\.isRoot).flatMap { tables(of: $0, triggers) }
    }

    private func tables(of entity: ResolvedEntity, _ triggers: [String: [SQLSchemaObject]]) -> [SQLTable] {
        let name = SQLNames.table(of: entity)
        let own = SQLTable(
            name: name, statement: table(of: entity),
            objects: columnIndexes(of: entity) + uniqueIndexes(of: entity)
                + FetchIndexes(model: model, dialect: dialect).indexes(of: entity) + (triggers[name] ?? []))
        return [own]
            + entity.properties.filter { $0.relationship?.storage == .ownedLinks }.map {
                linkTable(of: $0, in: entity, triggers)
            }
    }

    private func table(of entity: ResolvedEntity) -> String {
        let columns = entity.columns.map(dialect.declaration(of:)), types = dialect.types
        let system = [
            "\(SQLNames.quoted(SQLNames.key)) \(types.key) NOT NULL PRIMARY KEY",
            "\(SQLNames.quoted(SQLNames.version)) \(types.integer) NOT NULL",
        ]
        return "CREATE TABLE \(SQLNames.quoted(SQLNames.table(of: entity))) "
            + "(\((system + columns).joined(separator: ", ")))\(ending(for: entity))"
    }

    /// The end of an entity's table declaration. Rows in the tree of their keys save a second look-up. Bytes in the
    /// rows would make that tree deep, so entities with bytes find keys through an index.
    private func ending(for entity: ResolvedEntity) -> String {
        let isWide = entity.columns.contains { property in
            switch property.attribute?.type {
            case .binary: property.attribute?.allowsExternalStorage == false
            case .transformable: true
            default: false
            }
        }
        return isWide ? "" : dialect.keyedTableEnding
    }

    private func columnIndexes(of entity: ResolvedEntity) -> [SQLSchemaObject] {
        entity.columns.filter { $0.relationship != nil || $0.slot == entity.family?.slot }.map { property in
            SQLSchemaObject(
                index: "index.\(entity.name).\(property.columnName)", on: SQLNames.table(of: entity),
                terms: [SQLNames.quoted(property.columnName)])
        }
    }

    /// The unique indexes of a table. Nulls are distinct in a unique index.
    private func uniqueIndexes(of entity: ResolvedEntity) -> [SQLSchemaObject] {
        let relatives = model.entities.filter { $0 !== entity && $0.isKind(of: entity) }.flatMap(
            \.uniquenessConstraints)
        var seen: Set<[Int]> = []
        return (entity.uniquenessConstraints + relatives).filter { seen.insert($0).inserted }.map { columns in
            SQLSchemaObject(
                index: SQLNames.uniqueIndex(of: entity, columns: columns), on: SQLNames.table(of: entity),
                terms: columns.map { SQLNames.quoted(entity.properties[$0].columnName) }, isUnique: true)
        }
    }

    private func linkTable(
        of property: ResolvedProperty, in entity: ResolvedEntity, _ triggers: [String: [SQLSchemaObject]]
    ) -> SQLTable {
        let name = SQLNames.linkTable(owner: entity, property: property)
        let source = SQLNames.quoted(SQLNames.source), target = SQLNames.quoted(SQLNames.target)
        let type = dialect.types.key
        let statement =
            "CREATE TABLE \(SQLNames.quoted(name)) (\(source) \(type) NOT NULL, \(target) \(type) NOT NULL, "
            + "PRIMARY KEY (\(source), \(target)))\(dialect.keyedTableEnding)"
        let index = SQLSchemaObject(
            index: "index.\(entity.name).\(property.columnName)", on: name, terms: [target, source])
        return SQLTable(name: name, statement: statement, objects: [index] + (triggers[name] ?? []))
    }
}

extension SQLDialect {
    /// A column's name and type for the table declaration.
    func declaration(of property: ResolvedProperty) -> String {
        let name = SQLNames.quoted(property.columnName), type = type(of: property)
        return type.isEmpty ? name : "\(name) \(type)"
    }
}
