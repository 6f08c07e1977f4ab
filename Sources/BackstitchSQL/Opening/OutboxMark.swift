package import Backstitch
import BackstitchSupport

/// Marks a store that keeps an outbox. The mark is set at its first opening as a synced store, and holds for every
/// later opening.
///
/// Without it, a program could open a synced store's file as a plain one, and its edits would never be sent. Another
/// process may have the store open as a plain one during the first sync. It finds the mark at its next save, and then
/// repeats that save with the outbox.
package final class OutboxMark: Sendable {
    /// Another process has set the mark since the last look. The transaction is undone and repeated with the outbox.
    struct WasSet: Error {}

    private let keepsOutbox: Locked<Bool>

    /// Creates the mark of a store that only this process opens.
    package init(keepsOutbox: Bool) { self.keepsOutbox = Locked(keepsOutbox) }

    /// Reads the mark of a store at its opening, and sets it when the store is synced for the first time.
    package convenience init(_ configuration: StoreConfiguration, in database: some SQLDatabase) throws {
        let isSet = try database.read(isSnapshot: false) { try Self.isSet(in: $0) }
        if !isSet, configuration.keepsOutbox, !configuration.isReadOnly { try database.write { try Self.set(in: $0) } }
        self.init(keepsOutbox: isSet || configuration.keepsOutbox)
    }

    /// Runs a transaction, and tells it whether to fill the outbox. It runs a second time if the mark was set
    /// meanwhile.
    package func write<Result>(_ transaction: (_ keepsOutbox: Bool) throws -> Result) throws -> Result {
        do { return try transaction(keepsOutbox.withLock { $0 }) } catch is WasSet {
            keepsOutbox.withLock { $0 = true }
            return try transaction(true)
        }
    }

    /// Whether the store has the mark.
    static func isSet(in connection: any SQLConnection) throws -> Bool {
        var isSet = false
        let query = SQLStatement(connection.dialect, StoreTable.query(for: .outbox))
        try connection.forEachRow(of: query) { _ in isSet = true }
        return isSet
    }

    /// Sets the mark in a transaction. It waits for saves that have taken their number; all others see the mark.
    private static func set(in connection: any SQLConnection) throws {
        try HistoryWriter(connection).holdNumber()
        try connection.run(StoreTable.replace("kept", for: .outbox, dialect: connection.dialect))
    }
}
