import Backstitch

/// The rows of a store between two models, for the code of a migration stage.
final class StageRows: MigrationRows {
    private let connection: any SQLConnection
    private let mapping: ModelMapping
    private let old: LegacySchemaNames
    private let generator: ObjectIDGenerator
    private let content: any MigrationContent
    /// Writes rows and links. The history that it collects is never written.
    private let journal: SQLJournal
    private let owners: KeyOwners

    init(
        _ connection: any SQLConnection, _ mapping: ModelMapping, _ old: LegacySchemaNames,
        _ generator: ObjectIDGenerator, _ content: any MigrationContent
    ) {
        self.connection = connection
        self.mapping = mapping
        self.old = old
        self.generator = generator
        self.content = content
        let statements = ModelStatements(mapping.new, dialect: connection.dialect)
        journal = SQLJournal(connection, statements: statements, isWritable: true)
        owners = KeyOwners(connection, statements)
    }

    /// Ends the use of the rows: later calls throw.
    func close() { journal.close() }

    func update(_ entityName: String, _ body: (MigrationRow, inout MigrationRow) throws -> Void) throws {
        let entity = try mapping.new.requireEntity(named: entityName)
        guard let origin = mapping.origin(of: entity) else {
            throw BackstitchError(
                .invalidRequest, "entity \(entityName) is new, and has no rows to update; insert some", key: entityName)
        }
        var last: ObjectKey?
        while true {
            let page = try reader(of: origin).page(after: last)
            guard let end = page.last else { return }
            last = end.objectID.key
            let rows = try journal.rows(of: entity, keys: page.map(\.objectID.key))
            let position = Dictionary(rows.keys.indices.map { (rows.keys[$0], $0) }, uniquingKeysWith: { $1 })
            for before in page {
                // The code has deleted this row meanwhile.
                guard let row = position[before.objectID.key] else { continue }
                var new = MigrationRow(rows.objectID(at: row), Self.values(row, of: rows))
                try body(before, &new)
                try write(new, of: entity)
            }
        }
    }

    func forEachOldRow(of entityName: String, _ body: (MigrationRow) throws -> Void) throws {
        let reader = reader(of: try mapping.old.requireEntity(named: entityName))
        var last: ObjectKey?
        while true {
            let page = try reader.page(after: last)
            guard let end = page.last else { return }
            for row in page { try body(row) }
            last = end.objectID.key
        }
    }

    @discardableResult
    func insert(_ entityName: String, key: ObjectKey?, _ values: [String: Value]) throws -> ObjectID {
        let entity = try mapping.new.requireEntity(named: entityName)
        let id = ObjectID(entityName: entityName, key: key ?? generator.next())
        for name in values.keys { _ = try entity.requireColumn(name) }
        guard try journal.rows(of: entity, keys: [id.key]).count == 0 else {
            throw BackstitchError(.invalidRequest, "\(id) already exists; update it", objectID: id)
        }
        if key != nil, let fault = try owners.faults(of: [id.key], entity).first { throw fault }
        var builder = RowBatchBuilder(entity: entity)
        builder.beginRow(key: id.key, version: 1)
        for column in entity.columns {
            let value = entity.owns(column.slot) ? values[column.name] : nil
            builder.append(try accept(value ?? entity.storedDefaults[column.slot], column, id))
        }
        try journal.upsert(builder.finish())
        return id
    }

    func delete(_ objectID: ObjectID) throws {
        try journal.delete([objectID.key], of: mapping.new.requireEntity(named: objectID.entityName))
    }

    func oldLinks(of objectID: ObjectID, by relationship: String) throws -> [ObjectKey] {
        let entity = try mapping.old.requireEntity(named: objectID.entityName)
        let property = try entity.requireProperty(named: relationship)
        guard let (source, near, far) = old.links(of: property, in: entity) else {
            throw BackstitchError(
                .invalidRequest, "\(entity.name).\(relationship) is an attribute and leads to no objects",
                key: relationship)
        }
        var statement = SQLStatement(
            connection.dialect, "SELECT \(far) FROM \(source) WHERE \(far) IS NOT NULL AND \(near) = ")
        statement.append(.key(objectID.key))
        statement.append(" ORDER BY \(far)")
        var keys: [ObjectKey] = []
        try connection.forEachRow(of: statement) { keys.append(try $0.key(0)) }
        return keys
    }

    func link(_ objectID: ObjectID, by relationship: String, to keys: [ObjectKey]) throws {
        let entity = try mapping.new.requireEntity(named: objectID.entityName)
        let property = try entity.requireProperty(named: relationship)
        switch property.relationship?.storage {
        case .ownedLinks:
            let links = keys.map { LinkChange.Link(source: objectID.key, target: $0) }
            try journal.change(LinkChange(entity: entity, property: property, added: links))
        case .inverseLinks:
            guard let ends = property.relationship else { return }
            let links = keys.map { LinkChange.Link(source: $0, target: objectID.key) }
            try journal.change(
                LinkChange(
                    entity: mapping.new.destination(of: ends), property: mapping.new.inverse(of: ends), added: links))
        default:
            throw BackstitchError(
                .invalidRequest,
                "\(entity.name).\(relationship) is not a many-to-many relationship; set the to-one relationship "
                    + "of the other end",
                objectID: objectID, key: relationship)
        }
    }
}

extension StageRows {
    /// Throws if the code has left a required attribute without a value.
    func requireValues() throws {
        for entity in mapping.new.entities where mapping.tableOrigin(of: entity) != nil {
            for column in entity.columns where column.attribute?.isOptional == false && entity.owns(column.slot) {
                guard mapping.origin(of: column, for: entity)?.attribute?.isOptional != false else { continue }
                let query = SQLStatement(
                    connection.dialect,
                    "SELECT count(*) FROM \(SQLNames.quoted(SQLNames.table(of: entity))) "
                        + "WHERE \(SQLNames.quoted(column.columnName)) IS NULL"
                        + FamilyChange.condition(ownersOf: column, entity, mapping.new))
                var count: Int64 = 0
                try connection.forEachRow(of: query) { count = $0.int(0) }
                guard count == 0 else {
                    throw BackstitchError(
                        .validation,
                        "\(entity.name).\(column.name) is required, and \(count) objects were left without a value",
                        key: column.name)
                }
            }
        }
    }

    private func reader(of entity: ResolvedEntity) -> OldRowReader {
        OldRowReader(connection, entity, mapping, at: old)
    }

    /// Writes the changed columns of a row. Its version stays, because it was never read under this model.
    private func write(_ row: MigrationRow, of entity: ResolvedEntity) throws {
        guard !row.changed.isEmpty else { return }
        var statement = SQLStatement(
            connection.dialect, "UPDATE \(SQLNames.quoted(SQLNames.table(of: entity))) SET ")
        for (index, name) in row.changed.sorted().enumerated() {
            let column = try entity.requireColumn(name)
            statement.append("\(index == 0 ? "" : ", ")\(SQLNames.quoted(column.columnName)) = ")
            statement.append(try accept(row[name], column, row.objectID))
        }
        statement.append(" WHERE \(SQLNames.quoted(SQLNames.key)) = ")
        statement.append(.key(row.objectID.key))
        try connection.run(statement)
    }

    private func accept(_ value: Value, _ column: ResolvedProperty, _ id: ObjectID) throws -> Value {
        if let attribute = column.attribute {
            return try content.stored(attribute.accept(value), for: attribute)
        }
        guard let relationship = column.relationship else { return value }
        let destination = mapping.new.destination(of: relationship)
        switch value {
        case .null: return value
        // Keys stay, so an object of the older model is also known by its new name.
        case .object(let target): return .object(ObjectID(entityName: destination.name, key: target.key))
        default:
            throw BackstitchError(
                .invalidValue, "\(id): \(column.name) leads to a \(destination.name) and cannot hold \(value.summary)",
                objectID: id, key: column.name)
        }
    }

    private static func values(_ row: Int, of batch: RowBatch) -> [String: Value] {
        let values = batch.entity.ownColumns.map { column in
            let value = batch.value(row, column.slot)
            let isMissing = value.isNull && column.attribute?.isOptional == false
            // At the end of the stage the row gets the default.
            return (column.name, isMissing ? column.attribute?.storedDefault ?? .null : value)
        }
        return Dictionary(uniqueKeysWithValues: values)
    }
}

extension ResolvedEntity {
    /// The defaults in their stored form.
    fileprivate var storedDefaults: [Value] {
        columns.map { column in
            if column.slot == family?.slot { return .string(name) }
            return owns(column.slot) ? column.attribute?.storedDefault ?? .null : .null
        }
    }

    /// The column with that name.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the property has no column here.
    fileprivate func requireColumn(_ name: String) throws -> ResolvedProperty {
        let property = try requireProperty(named: name)
        if property.slot < columnCount { return property }
        throw BackstitchError(
            .invalidRequest,
            "\(self.name).\(name) leads to many objects or is kept at its other end; use link, or set "
                + "the other end", key: name)
    }
}
