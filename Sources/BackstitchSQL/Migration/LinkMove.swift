import Backstitch

/// Moves the links of relationships, if the new model keeps them in another place than the old one.
struct LinkMove {
    private let connection: any SQLConnection
    private let mapping: ModelMapping
    private let old: LegacySchemaNames

    init(_ connection: any SQLConnection, _ mapping: ModelMapping, _ old: LegacySchemaNames) {
        self.connection = connection
        self.mapping = mapping
        self.old = old
    }

    func run() throws {
        for entity in mapping.new.entities where entity.isRoot {
            for property in entity.properties where property.relationship != nil { try move(property, of: entity) }
        }
    }

    private func move(_ property: ResolvedProperty, of entity: ResolvedEntity) throws {
        guard let relationship = property.relationship, let origin = mapping.tableOrigin(of: entity),
            let source = mapping.origin(of: property, in: entity), let before = source.relationship
        else { return }
        switch (before.storage, relationship.storage) {
        case (.column, .column), (.ownedLinks, .ownedLinks): break
        case (_, .column): try fillColumn(property, of: entity, from: source, of: origin)
        case (_, .ownedLinks): try fillTable(property, of: entity, from: source, of: origin)
        default: return
        }
        let inverse = mapping.new.inverse(of: relationship)
        let inverseBefore = mapping.old.inverse(of: before)
        if relationship.storage == .column, inverse.relationship?.isToMany == false,
            before.isToMany || inverseBefore.relationship?.isToMany == true
        {
            try keepFirst(property, of: entity)
        }
    }

    /// Fills a column from links in another place. Of several links it keeps the one to the object that was created
    /// first.
    private func fillColumn(
        _ property: ResolvedProperty, of entity: ResolvedEntity, from source: ResolvedProperty,
        of origin: ResolvedEntity
    ) throws {
        guard let (links, near, far) = old.links(of: source, in: origin) else { return }
        let table = SQLNames.quoted(SQLNames.table(of: entity)), key = SQLNames.quoted(SQLNames.key)
        try run(
            "UPDATE \(table) SET \(SQLNames.quoted(property.columnName)) = (SELECT \(far) FROM \(links) "
                + "WHERE \(near) = \(table).\(key) ORDER BY \(far) LIMIT 1) "
                + "WHERE \(key) IN (SELECT \(near) FROM \(links) WHERE \(near) IS NOT NULL)")
    }

    /// Fills a link table from links that were in a column.
    private func fillTable(
        _ property: ResolvedProperty, of entity: ResolvedEntity, from source: ResolvedProperty,
        of origin: ResolvedEntity
    ) throws {
        guard let (links, near, far) = old.links(of: source, in: origin) else { return }
        let table = SQLNames.quoted(SQLNames.linkTable(owner: entity, property: property))
        try run(
            "INSERT INTO \(table) (\(SQLNames.quoted(SQLNames.source)), \(SQLNames.quoted(SQLNames.target))) "
                + "SELECT \(near), \(far) FROM \(links) WHERE \(near) IS NOT NULL AND \(far) IS NOT NULL")
    }

    /// If several objects refer to the same one, only the first keeps its link.
    private func keepFirst(_ property: ResolvedProperty, of entity: ResolvedEntity) throws {
        let table = SQLNames.quoted(SQLNames.table(of: entity)), key = SQLNames.quoted(SQLNames.key)
        let column = SQLNames.quoted(property.columnName)
        try run(
            "UPDATE \(table) SET \(column) = NULL WHERE \(key) IN (SELECT r.\(key) FROM (SELECT \(key), "
                + "row_number() OVER (PARTITION BY \(column) ORDER BY \(key)) AS place FROM \(table) "
                + "WHERE \(column) IS NOT NULL) AS r WHERE r.place > 1)")
    }

    private func run(_ text: String) throws {
        var statement = SQLStatement(connection.dialect, text)
        statement.isAdHoc = true
        try connection.run(statement)
    }
}
