package import Backstitch

/// Reads rows, keys, versions and links through a connection.
package struct RowReader {
    let connection: any SQLConnection
    let statements: ModelStatements
    var model: ResolvedModel { statements.model }

    /// Creates a reader of a model's rows, with the statements of its store.
    package init(_ connection: any SQLConnection, statements: ModelStatements) {
        self.connection = connection
        self.statements = statements
    }

    func statements(of entity: ResolvedEntity) -> EntityStatements { statements[entity] }

    private var fetchStatements: FetchStatements { FetchStatements(statements) }

    /// The rows of a request, in its order.
    package func rows(_ request: StoreFetchRequest) throws -> RowBatch {
        let statements = fetchStatements
        let isSortedHere = statements.isSortedByReader(request)
        let statement = try statements.rows(request, isOrdered: !isSortedHere)
        var builder = RowBatchBuilder(entity: request.entity)
        try connection.appendRows(of: statement, entity: request.entity, firstColumn: 0, to: &builder, where: nil)
        let rows = builder.finish()
        return isSortedHere ? rows.sortedByKey() : rows
    }

    /// The keys of a request's rows, in its order.
    package func keys(_ request: StoreFetchRequest) throws -> [ObjectKey] {
        let statements = fetchStatements
        let isSortedHere = statements.isSortedByReader(request)
        var keys: [ObjectKey] = []
        try connection.forEachRow(of: statements.keys(request, isOrdered: !isSortedHere)) {
            keys.append(try $0.key(0))
        }
        if isSortedHere { keys.sort() }
        return keys
    }

    /// The number of rows that a request would return.
    package func count(_ request: StoreFetchRequest) throws -> Int {
        var count = 0
        try connection.forEachRow(of: fetchStatements.count(request)) {
            count = Int($0.int(0))
        }
        return count
    }

    /// The rows with these keys, each once.
    package func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        let statements = statements(of: entity)
        var builder = RowBatchBuilder(entity: entity, capacity: keys.count)
        for chunk in chunks(keys) {
            try connection.appendRows(
                of: statements.rows(keys: chunk), entity: entity, firstColumn: 0, to: &builder, where: nil)
        }
        return builder.finish()
    }

    /// The keys of all rows of an entity.
    package func allKeys(of entity: ResolvedEntity) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        let statement = statements(of: entity).allKeys
        try connection.forEachRow(of: statement) { keys.append(try $0.key(0)) }
        return keys
    }

    /// The stored versions of the rows with these keys.
    package func versions(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> [ObjectKey: Int64] {
        let statements = statements(of: entity)
        var versions: [ObjectKey: Int64] = [:]
        for chunk in chunks(keys) {
            try connection.forEachRow(of: statements.versions(keys: chunk)) { versions[try $0.key(0)] = $0.int(1) }
        }
        return versions
    }

    /// The keys among these that have rows. The rows are locked against deletion until the end of the transaction.
    func held(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> Set<ObjectKey> {
        let statements = statements(of: entity)
        var held: Set<ObjectKey> = []
        for chunk in chunks(keys) {
            try connection.forEachRow(of: statements.held(keys: chunk)) { held.insert(try $0.key(0)) }
        }
        return held
    }

    /// The targets of each source's links in ascending order, as the side of `property` sees them. Sources without
    /// links are absent.
    package func links(
        of property: ResolvedProperty, in entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> [ObjectKey: [ObjectKey]] {
        let statements = LinkStatements(try linkTable(of: property, in: entity), dialect: connection.dialect)
        var links: [ObjectKey: [ObjectKey]] = [:]
        for chunk in chunks(sources) {
            try connection.forEachRow(of: statements.links(of: chunk)) {
                links[try $0.key(0), default: []].append(try $0.key(1))
            }
        }
        for source in links.keys { links[source]?.sort() }
        return links
    }

    /// The link table of a relationship.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the relationship has none.
    package func linkTable(of property: ResolvedProperty, in entity: ResolvedEntity) throws -> SQLLinkTable {
        if let table = SQLLinkTable(of: property, in: entity, model: model) { return table }
        throw BackstitchError(
            .invalidRequest, "\(entity.name).\(property.name) is not a many-to-many relationship and has no links",
            key: property.name)
    }

    /// Each key once, in parts of the size for one statement.
    func chunks(_ keys: [ObjectKey]) -> [ArraySlice<ObjectKey>] {
        // Within one statement a repeated key counts once. Only across statements it would be found twice.
        let isShort = SQLStatement.keyChunks(keys, dialect: connection.dialect).count <= 1
        return SQLStatement.keyChunks(isShort ? keys : Array(Set(keys)).sorted(), dialect: connection.dialect)
    }
}
