import Backstitch

/// Renames entities and properties in history, the outbox and record states to those of the new model. Entries about
/// removed entities and properties are deleted. Nothing is added, because a migration changes no object.
struct JournalMigrator {
    private let connection: any SQLConnection
    private let mapping: ModelMapping
    /// The new names of the old model's entities; nil for removed ones.
    private let entities: [String: String?]
    /// The new names of each entity's properties; nil for removed ones.
    private let properties: [String: [String: String?]]

    init(_ connection: any SQLConnection, _ mapping: ModelMapping) {
        self.connection = connection
        self.mapping = mapping
        var entities: [String: String?] = [:]
        var properties: [String: [String: String?]] = [:]
        for entity in mapping.old.entities {
            entities[entity.name] = .some(mapping.successor(of: entity)?.name)
            for property in entity.ownProperties {
                properties[entity.name, default: [:]][property.name] =
                    .some(mapping.successor(of: property, for: entity)?.name)
            }
        }
        self.entities = entities
        self.properties = properties
    }

    func run() throws {
        // Properties first, because they are found by the entity's old name.
        for entity in mapping.old.entities where isChanged(entity) { try renameProperties(of: entity) }
        try OutboxMigrator(connection, mapping, entities: entities, properties: properties).run()
        try migrateCreatorRights()
        for table in [SystemTables.change, SystemTables.outbox, SystemTables.record] { try renameEntities(in: table) }
    }

    /// Gives the rights by creator the new names of entities, and forgets the creators of removed entities' objects.
    /// The records have the old names still.
    private func migrateCreatorRights() throws {
        let table = ZoneTable(connection)
        guard var rights = try table.creatorRights else { return }
        let old = rights.entities
        rights.entities = [:]
        for (name, value) in old { if let new = entities[name] ?? name { rights.entities[new] = value } }
        if rights.entities != old { try table.setCreatorRights(rights) }
        for name in entities.filter({ $0.value == nil }).keys.sorted() {
            try CreatorTable(connection).remove(ofEntity: name)
        }
    }

    private func isChanged(_ entity: ResolvedEntity) -> Bool {
        properties[entity.name]?.contains { $0.key != $0.value } == true && entities[entity.name] != .some(nil)
    }

    private func renameEntities(in table: String) throws {
        let gone = entities.filter { $0.value == nil }.keys.sorted()
        for name in gone {
            var statement = SQLStatement(connection.dialect, "DELETE FROM \(table) WHERE entity = ")
            statement.append(.text(name))
            try run(statement)
        }
        let renamed = entities.compactMap { name, new in new.flatMap { $0 == name ? nil : (name, $0) } }.sorted {
            $0 < $1
        }
        guard !renamed.isEmpty else { return }
        // All at once, because names may be exchanged.
        var statement = SQLStatement(connection.dialect, "UPDATE \(table) SET entity = CASE entity")
        for (name, new) in renamed {
            statement.append(" WHEN ")
            statement.append(.text(name))
            statement.append(" THEN ")
            statement.append(.text(new))
        }
        statement.append(" END WHERE entity IN (")
        statement.append(list: renamed.map { .string($0.0) })
        statement.append(")")
        try run(statement)
    }

    /// Renames the properties in the lists that history keeps with its updates.
    private func renameProperties(of entity: ResolvedEntity) throws {
        try TombstoneMigrator(connection).run(entity: entity.name, names: properties[entity.name] ?? [:])
        var lists: [String] = []
        var query = SQLStatement(
            connection.dialect, "SELECT DISTINCT properties FROM \(SystemTables.change) WHERE entity = ")
        query.append(.text(entity.name))
        query.append(" AND properties IS NOT NULL")
        query.isAdHoc = true
        try connection.forEachRow(of: query) { lists.append($0.text(0)) }
        for list in lists {
            let names = list.split(separator: ",").compactMap { name in
                properties[entity.name]?[String(name), default: String(name)]
            }
            // Lists are marked, so that none is changed twice when names are exchanged.
            try replace(list, with: "!" + names.joined(separator: ","), of: entity)
        }
        var unmark = SQLStatement(
            connection.dialect,
            "UPDATE \(SystemTables.change) SET properties = substr(properties, 2) WHERE entity = ")
        unmark.append(.text(entity.name))
        unmark.append(" AND substr(properties, 1, 1) = '!'")
        try run(unmark)
    }

    private func replace(_ list: String, with new: String, of entity: ResolvedEntity) throws {
        var statement = SQLStatement(connection.dialect, "UPDATE \(SystemTables.change) SET properties = ")
        statement.append(.text(new))
        statement.append(" WHERE entity = ")
        statement.append(.text(entity.name))
        statement.append(" AND properties = ")
        statement.append(.text(list))
        try run(statement)
    }

    private func run(_ statement: SQLStatement) throws {
        var statement = statement
        statement.isAdHoc = true
        try connection.run(statement)
    }
}
