import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation

/// The connections of a store: one for each current request, kept for the next one.
final class MarbleDatabase: SQLDatabase {
    let name: String
    private let isReadOnly: Bool
    private let foreignMigration: ForeignMigration?
    private let gate = RequestGate()
    private let idle = Locked<[MarbleConnection]>([])
    /// One writes at a time; the file's own lock is for other processes.
    private let writing = NSLock()

    init(_ path: String, _ configuration: StoreConfiguration?) {
        name = path
        isReadOnly = configuration?.isReadOnly ?? false
        foreignMigration = configuration.map(ForeignMigration.init)
    }

    func read<Result>(isSnapshot: Bool, _ body: (MarbleConnection) throws -> Result) throws -> Result {
        try use { connection in
            isSnapshot ? try connection.transaction("BEGIN") { try body(connection) } : try body(connection)
        }
    }

    func readOnce<Result>(_ body: (MarbleConnection) throws -> Result) throws -> Result {
        try read(isSnapshot: true, body)
    }

    func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        try readOnce { try $0.forEachBatch(of: statement, entity: entity, size: size, body) }
    }

    func write<Result>(
        token: ObjectKey?, mayRepeat: Bool, _ body: (MarbleConnection) throws -> Result, number: (Result) -> Int64?
    ) throws -> Result {
        if isReadOnly { throw StoreConfiguration.isReadOnly(name) }
        try JournalNesting.check(self, name: name, "be written to")
        return try use { connection in
            writing.lock()
            defer { writing.unlock() }
            return try connection.transaction("BEGIN IMMEDIATE") { try body(connection) }
        }
    }

    /// Runs `body` with an exclusive connection.
    func use<Result>(_ body: (MarbleConnection) throws -> Result) throws -> Result {
        try request {
            let connection = try idle.withLock { $0.popLast() } ?? connect()
            defer { idle.withLock { $0.append(connection) } }
            return try body(connection)
        }
    }

    func connect() throws -> MarbleConnection { try MarbleConnection(name, isReadOnly: isReadOnly) }

    func request<Result>(_ body: () throws -> Result) throws -> Result {
        try gate.pass(orThrow: BackstitchError(.storeClosed, "\(name) was closed; open it again before using it")) {
            do { return try body() } catch let failure as MarbleFailure {
                throw try afterMigration(failure) ?? failure.backstitchError(store: name)
            }
        }
    }

    /// The error of a request that failed because the tables have changed since the store was opened.
    private func afterMigration(_ failure: MarbleFailure) throws -> BackstitchError? {
        guard failure.mayTellOfOtherTables, let foreignMigration else { return nil }
        return try? foreignMigration.error(on: connect(), store: name, cause: failure)
    }

    /// Waits for requests to end, then closes all connections.
    func close() throws {
        try JournalNesting.check(self, name: name, "be closed")
        gate.close()
        idle.withLock { $0 = [] }
    }
}
