import Backstitch

/// The present names of an old model's tables and columns during a migration.
struct LegacySchemaNames {
    /// A column of the old model: its table and its name there.
    struct Column: Hashable {
        let entity: String
        let property: String

        init(_ entity: ResolvedEntity, _ property: ResolvedProperty) {
            self.entity = SQLNames.table(of: entity)
            self.property = property.columnName
        }
    }

    /// The present names of tables, by their names in the old model.
    var tables: [String: String] = [:]
    /// The present names of columns that no longer have the old model's name.
    var columns: [Column: String] = [:]

    private let model: ResolvedModel

    init(_ model: ResolvedModel) {
        self.model = model
        for entity in model.entities where entity.isRoot {
            tables[SQLNames.table(of: entity)] = SQLNames.table(of: entity)
            for property in entity.properties where property.relationship?.storage == .ownedLinks {
                let name = SQLNames.linkTable(owner: entity, property: property)
                tables[name] = name
            }
        }
    }

    /// The present table of an entity.
    func table(of entity: ResolvedEntity) -> String {
        let name = SQLNames.table(of: entity)
        return tables[name] ?? name
    }

    /// The present column of a property.
    func column(of property: ResolvedProperty, in entity: ResolvedEntity) -> String {
        columns[Column(entity, property)] ?? property.columnName
    }

    /// The name in the new model for a table of the old one; nil when its rows are moved elsewhere or removed.
    func successor(ofTable name: String, _ mapping: ModelMapping) -> String? {
        for entity in model.entities where entity.isRoot {
            if SQLNames.table(of: entity) == name { return mapping.tableSuccessor(of: entity).map(SQLNames.table(of:)) }
            for property in entity.properties where property.relationship?.storage == .ownedLinks {
                guard SQLNames.linkTable(owner: entity, property: property) == name else { continue }
                guard let owner = mapping.tableSuccessor(of: entity),
                    let successor = mapping.successor(of: property, in: entity),
                    successor.relationship?.storage == .ownedLinks
                else { return nil }
                return SQLNames.linkTable(owner: owner, property: successor)
            }
        }
        return nil
    }

    /// The links of a relationship of the old model, as the source of a query: pairs of keys. One is the key of a row
    /// of `entity`, the other the key at the far end.
    func links(of property: ResolvedProperty, in entity: ResolvedEntity) -> (source: String, near: String, far: String)?
    {
        guard let relationship = property.relationship else { return nil }
        let key = "o.\(SQLNames.quoted(SQLNames.key))"
        switch relationship.storage {
        case .column:
            let column = "o.\(SQLNames.quoted(column(of: property, in: entity)))"
            return ("\(SQLNames.quoted(table(of: entity))) AS o", key, column)
        case .inverseColumn:
            let destination = model.destination(of: relationship)
            let column = "o.\(SQLNames.quoted(self.column(of: model.inverse(of: relationship), in: destination)))"
            return ("\(SQLNames.quoted(table(of: destination))) AS o", column, key)
        case .ownedLinks, .inverseLinks:
            guard let links = SQLLinkTable(of: property, in: entity, model: model) else { return nil }
            return (
                "\(SQLNames.quoted(tables[links.name] ?? links.name)) AS o", "o.\(SQLNames.quoted(links.near))",
                "o.\(SQLNames.quoted(links.far))"
            )
        }
    }
}
