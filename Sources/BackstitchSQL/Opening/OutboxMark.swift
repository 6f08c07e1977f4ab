package import Backstitch
import BackstitchSupport

/// Says in a store that it keeps an outbox: from its first opening as a synced store on, whoever opens it.
///
/// Else a program that opens a synced store's file as a plain one would make edits that are never sent. A process that
/// has the store open as a plain one while another syncs it for the first time learns of the mark with its next save,
/// which is made again then.
package final class OutboxMark: Sendable {
    /// Another process has set the mark since this one looked. The transaction is undone, and made again with the
    /// outbox.
    struct WasSet: Error {}

    private let keepsOutbox: Locked<Bool>

    /// For a store that nobody else opens.
    package init(keepsOutbox: Bool) { self.keepsOutbox = Locked(keepsOutbox) }

    /// Reads the mark of a store that is opened, and sets it when the store is synced for the first time.
    package convenience init(_ configuration: StoreConfiguration, in database: some SQLDatabase) throws {
        let isSet = try database.read(isSnapshot: false) { try Self.isSet(in: $0) }
        if !isSet, configuration.keepsOutbox, !configuration.isReadOnly { try database.write { try Self.set(in: $0) } }
        self.init(keepsOutbox: isSet || configuration.keepsOutbox)
    }

    /// Runs a transaction, which is told whether it notes what is to be sent.
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

    /// Sets the mark, in a transaction. Saves that have taken their number are waited for; all others see it.
    private static func set(in connection: any SQLConnection) throws {
        try HistoryWriter(connection).holdNumber()
        try connection.run(StoreTable.replace("kept", for: .outbox, dialect: connection.dialect))
    }
}
