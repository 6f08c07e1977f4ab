package import Backstitch
package import Foundation

/// The journal of a store, while a transaction is open on its connection. Every SQL store passes it to the closures of
/// ``JournalingStore``. After the end of such a closure, every call throws.
package final class SQLJournal {
    private var openConnection: (any SQLConnection)?
    private let isWritable: Bool
    let statements: ModelStatements
    var model: ResolvedModel { statements.model }
    var history = HistoryCollector()

    /// Creates a journal on a connection with a transaction.
    package init(_ connection: any SQLConnection, statements: ModelStatements, isWritable: Bool) {
        openConnection = connection
        self.isWritable = isWritable
        self.statements = statements
    }

    /// Writes the collected changes to history, as the last step of a writing transaction.
    ///
    /// - Parameter timestamp: Milliseconds since 1970.
    /// - Parameter token: Identifies the transaction in history, for ``TransactionToken``.
    /// - Returns: The transaction's number; nil when history has nothing to record.
    @discardableResult
    package func finish(author: String, timestamp: Int64, token: ObjectKey? = nil) throws -> Int64? {
        let segments = history.segments()
        guard !segments.isEmpty else { return nil }
        let writer = HistoryWriter(try writableConnection())
        let number = try writer.nextNumber()
        // Code that writes a journal also writes its outbox there.
        try writer.write(
            number, HistoryAuthor(author: author, context: nil, timestamp: timestamp, token: token), segments,
            keepsOutbox: true)
        return number
    }

    /// Releases the connection. Later calls throw.
    package func close() { openConnection = nil }

    /// The connection of the transaction.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` after the transaction has ended.
    func connection() throws -> any SQLConnection {
        if let openConnection { return openConnection }
        throw BackstitchError(
            .invalidRequest,
            "a journal was used after its transaction had ended; read and write only inside its closure"
        )
    }

    /// The connection, for a write.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` after the transaction has ended, or if the journal only reads.
    func writableConnection() throws -> any SQLConnection {
        let connection = try connection()
        guard isWritable else {
            throw BackstitchError(
                .invalidRequest, "a journal that was opened for reading was asked to write; use writeJournal")
        }
        return connection
    }

    func reader() throws -> RowReader { RowReader(try connection(), statements: statements) }
}

extension SQLJournal: JournalReading {
    package func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try reader().rows(of: entity, keys: keys)
    }

    package func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try reader().rows(request) }

    package func links(
        of property: ResolvedProperty, in entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> [ObjectKey: [ObjectKey]] {
        try reader().links(of: property, in: entity, sources: sources)
    }

    package func allKeys(of entity: ResolvedEntity) throws -> [ObjectKey] { try reader().allKeys(of: entity) }

    package func outbox(after sequence: Int64, limit: Int, inZone zone: Int64?) throws -> [OutboxEntry] {
        // In a store with one zone all entries are in that zone.
        let isPlaced = try zone.map { try $0 != 0 || !ZoneTable(connection()).isEmpty } ?? false
        return try OutboxTable(connection()).waiting(after: sequence, limit: limit, inZone: isPlaced ? zone : nil)
    }

    package func outbox(for keys: [ObjectKey]) throws -> [ObjectKey: OutboxEntry] {
        try OutboxTable(connection()).entries(for: keys)
    }

    package func blockedOutbox() throws -> [OutboxEntry] { try OutboxTable(connection()).blocked() }

    package func outboxCounts() throws -> (waiting: Int, blocked: Int) { try OutboxTable(connection()).counts() }

    package func recordStates(for keys: [ObjectKey]) throws -> [ObjectKey: RecordState] {
        try RecordTable(connection()).states(for: keys)
    }

    package func recordStates(named names: [String]) throws -> [String: RecordState] {
        try RecordTable(connection()).states(named: names)
    }

    package func allRecordKeys() throws -> [ObjectKey] { try RecordTable(connection()).allKeys() }

    package func metadata(for key: String) throws -> Data? { try MetadataTable(connection()).value(for: key) }

    package func metadata(withPrefix prefix: String) throws -> [(key: String, value: Data)] {
        try MetadataTable(connection()).values(withPrefix: prefix)
    }

    package func metadata(for keys: [String]) throws -> [String: Data] {
        try MetadataTable(connection()).values(for: keys)
    }

    package func metadata(
        withPrefix prefix: String, after key: String?, limit: Int
    ) throws -> [(key: String, value: Data)] {
        try MetadataTable(connection()).values(withPrefix: prefix, after: key, limit: limit)
    }

    package func lastTransactionNumber() throws -> Int64 { try HistoryWriter(connection()).lastNumber() }

    package func history(after number: Int64, limit: Int) throws -> [PersistentHistoryTransaction] {
        try HistoryReader(connection()).transactions(after: number, limit: limit)
    }

    package func date(ofTransaction number: Int64) throws -> Date? {
        try HistoryReader(connection()).date(of: number)
    }

    package func purgedHistoryNumber() throws -> Int64 { try HistoryPurge(connection()).number() }

    package func zones() throws -> [Int64: String] { try ZoneTable(connection()).zones().names }

    package func readOnlyZones() throws -> Set<Int64> { try ZoneTable(connection()).zones().readOnly }

    package func sharedRoots() throws -> [Int64: SharedRoots] { try ZoneTable(connection()).zones().roots }

    package func creatorRights() throws -> CreatorRights? { try ZoneTable(connection()).creatorRights }

    package func creators(of keys: [ObjectKey]) throws -> [ObjectKey: String] {
        let connection = try connection()
        return try ZoneTable(connection).creatorRights == nil ? [:] : CreatorTable(connection).creators(of: keys)
    }

    package func name(ofZone zone: Int64) throws -> String? { try ZoneTable(connection()).name(of: zone) }

    package func zones(of keys: [ObjectKey]) throws -> [ObjectKey: Int64] {
        let table = ZoneTable(try connection())
        return try table.isEmpty ? [:] : table.zones(of: keys)
    }

    package func keys(inZone zone: Int64) throws -> [ObjectKey] {
        let table = ZoneTable(try connection())
        return try table.name(of: zone) == nil ? [] : table.keys(in: zone)
    }

    package func zonesWithOutbox() throws -> Set<Int64> {
        let table = ZoneTable(try connection())
        if try !table.isEmpty { return try table.zonesWithOutbox() }
        return try outboxCounts().waiting > 0 ? [0] : []
    }
}
