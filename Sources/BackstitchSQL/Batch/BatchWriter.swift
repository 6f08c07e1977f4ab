package import Backstitch
import BackstitchSupport

/// Executes a batch request through a connection that has begun a transaction. If it throws, the transaction must be
/// undone.
///
/// Rows are read and written in parts, each in the same way as a save. So history, outbox, links and versions are the
/// same as after a save. Memory holds one part and the keys of all rows: 16 bytes for each row. History and the
/// observers of the changes need the keys.
package struct BatchWriter {
    let connection: any SQLConnection
    let statements: ModelStatements
    let keepsOutbox: Bool
    /// Whether the changes stay on this device.
    private let isHeld: Bool
    /// Keeps the bytes that the rows name.
    let keep: (AssetContents) throws -> Void
    var model: ResolvedModel { statements.model }
    /// The number of rows in a part.
    static let partLength = 2000

    /// Creates a writer of batch requests for a model's objects.
    ///
    /// - Parameter isHeld: Whether their changes stay on this device (``StoreBatchRequest/isHeld``).
    package init(
        _ connection: any SQLConnection, statements: ModelStatements, keepsOutbox: Bool, isHeld: Bool,
        keep: @escaping (AssetContents) throws -> Void
    ) {
        self.connection = connection
        self.statements = statements
        self.keepsOutbox = keepsOutbox
        self.isHeld = isHeld
        self.keep = keep
    }

    /// The effect of a batch request.
    package struct Outcome {
        /// The inserted, updated and deleted objects.
        package let changes: StoreChanges
        /// The number of the transaction; nil if nothing changed.
        package let number: Int64?
    }

    /// Executes `request` within the transaction of the connection.
    ///
    /// - Parameter timestamp: Milliseconds since 1970, for history.
    /// - Parameter token: Names the transaction in history, for ``TransactionToken``.
    /// - Throws: As ``PersistentStore/execute(_:)``.
    package func write(
        _ request: StoreBatchRequest, timestamp: Int64, token: ObjectKey? = nil
    ) throws -> Outcome {
        let history = HistoryWriter(connection)
        // Checked early if the source gives its rows only once. Otherwise the check at the end is enough.
        if !keepsOutbox, !request.isRepeatable, try OutboxMark.isSet(in: connection) { throw OutboxMark.WasSet() }
        try keep(request.assets)
        // As for a save: a store with an outbox writes alone, others wait only for the number. The number is taken
        // after the first change. Until then the lock keeps it free.
        if keepsOutbox { try TransactionToken(connection).lock() }
        let expected = keepsOutbox ? try history.lastNumber() + 1 : 0
        var givesKeys = false
        let segments =
            switch request.operation {
            case .insert(let entity, let rows):
                try insert(rows(), entity, request.mergePolicy, expected, givesKeys: &givesKeys)
            case .update(let fetch, let assignments): try update(fetch, assignments, expected)
            case .delete(let fetch): try BatchDeletion(self, expected).delete(keys(of: fetch), of: fetch.entity)
            }
        guard segments.contains(where: { !$0.keys.isEmpty }) else {
            return Outcome(changes: StoreChanges(), number: nil)
        }
        let number = try history.nextNumber()
        let author = HistoryAuthor(
            author: request.author, context: request.contextName, timestamp: timestamp, token: token)
        do {
            let isMarked = try history.write(number, author, segments, keepsOutbox: keepsOutbox)
            try KeyOwners(connection, statements).check(segments, givesKeys: givesKeys, isMarked: isMarked)
        } catch let error as OutboxMark.WasSet {
            if request.isRepeatable { throw error }
            throw BackstitchError(
                .storeFailure,
                "another process began to sync the store while this batch request ran, and the request had not "
                    + "filled the outbox. Nothing was stored; execute it again")
        }
        return Outcome(changes: StoreChanges(segments), number: number)
    }

    /// Writes one part in the same way as a save.
    ///
    /// - Parameter going: The objects that further parts of the request delete.
    func writePart(
        _ number: Int64, going: Set<ObjectKey> = [], _ fill: (inout SaveChangesRequest) throws -> Void
    ) throws -> [HistorySegment] {
        var part = SaveChangesRequest()
        part.isHeld = isHeld
        try fill(&part)
        return try SaveWriter(connection, statements: statements, keepsOutbox: keepsOutbox).writeContent(
            of: part, number: number, going: going)
    }

    /// The keys of the rows that a request finds. The rows are locked against changes until the end of the transaction.
    func keys(of request: StoreFetchRequest) throws -> [ObjectKey] {
        var statement = try FetchStatements(statements).keys(request)
        statement.append(lock)
        var keys: [ObjectKey] = []
        try connection.forEachRow(of: statement) { keys.append(try $0.key(0)) }
        return keys
    }

    /// The rows with these keys, locked against changes until the end of the transaction.
    func rows(of entity: ResolvedEntity, keys: ArraySlice<ObjectKey>) throws -> RowBatch {
        let reading = statements[entity]
        var builder = RowBatchBuilder(entity: entity, capacity: keys.count)
        for chunk in SQLStatement.keyChunks(Array(keys), dialect: connection.dialect) {
            var statement = reading.rows(keys: chunk)
            statement.append(lock)
            try connection.appendRows(
                of: statement, entity: entity, firstColumn: 0, to: &builder, where: nil)
        }
        return builder.finish()
    }

    /// Splits rows of a family by their entities, as saves have them.
    func byEntity(_ rows: RowBatch) -> [RowBatch] {
        guard rows.entity.family != nil else { return [rows] }
        let positions = Dictionary(grouping: 0..<rows.count) { rows.entityName(at: $0) }
        return positions.sorted { $0.key < $1.key }.map { name, positions in
            var builder = RowBatchBuilder(entity: model.entity(named: name) ?? rows.entity, capacity: positions.count)
            for row in positions { builder.appendRow(row, of: rows) }
            return builder.finish()
        }
    }

    /// The clause that locks the rows of a query for an update.
    private var lock: String { connection.dialect.rowLock(.update, of: EntityStatements.alias) }
}

extension BatchWriter {
    private func insert(
        _ rows: @escaping StoreBatchRequest.RowSource, _ entity: ResolvedEntity, _ policy: MergePolicy,
        _ number: Int64, givesKeys: inout Bool
    ) throws -> [HistorySegment] {
        var isGiven = false
        defer { givesKeys = isGiven }
        let next: StoreBatchRequest.RowSource = { limit in
            let part = try rows(limit)
            isGiven = isGiven || part?.givesKeys == true
            return part
        }
        if policy != .error, !entity.uniquenessConstraints.isEmpty {
            return try BatchUpsert(self, policy, number).write(next)
        }
        var segments: [HistorySegment] = []
        while let part = try next(Self.partLength) {
            try keep(part.assets)
            segments += try writePart(number) { $0.inserts = [part.rows] }
        }
        return segments
    }

    private func update(
        _ fetch: StoreFetchRequest, _ assignments: [BatchAssignment], _ number: Int64
    ) throws -> [HistorySegment] {
        if !keepsOutbox, let statement = try BatchUpdateStatement(fetch, assignments, model, connection.dialect) {
            return [try statement.run(on: connection)]
        }
        var segments: [HistorySegment] = []
        for part in try keys(of: fetch).parts(of: Self.partLength) {
            for rows in byEntity(try rows(of: fetch.entity, keys: part)) {
                let update = try rows.applying(assignments)
                segments += try writePart(number) { $0.updates = [update] }
            }
        }
        return segments
    }
}

extension StoreChanges {
    /// The changes that history segments describe.
    fileprivate init(_ segments: [HistorySegment]) {
        self.init()
        var properties: [String: Set<String>] = [:]
        for segment in segments {
            let ids = segment.keys.lazy.map { ObjectID(entityName: segment.entity.name, key: $0) }
            switch segment.kind {
            case .insert: inserted += ids
            case .update:
                updated += ids
                let changed = segment.properties.reduce(into: PropertySet()) { $0.formUnion($1) }
                let names = changed.slots.map { segment.entity.properties[$0].name }
                properties[segment.entity.name, default: []].formUnion(names)
            case .delete: deleted += ids
            }
        }
        changedProperties = properties
    }
}
