package import Backstitch
import BackstitchSupport
import Foundation

/// Reports the changes by other writers of its database to a store, on a thread of its own.
///
/// The changes are read from history. The store's own transactions are left out by their tokens. The database's
/// ``ChangeSource`` decides when to look.
package final class ChangeFeed: Sendable {
    private struct State {
        /// The number of the last reported transaction.
        var number: Int64
        var isClosed = false
    }

    /// The store's own transactions, left out of the reports.
    let own = OwnTransactions()
    private let source: any ChangeSource
    private let handler: @Sendable (StoreChanges) -> Void
    private let state: Locked<State>

    /// Starts to report all changes after the present state of a database.
    ///
    /// - Throws: The database's error when it is asked for its last transaction.
    package init(
        _ source: any ChangeSource, of database: some SQLDatabase,
        handler: @escaping @Sendable (StoreChanges) -> Void
    ) throws {
        self.source = source
        self.handler = handler
        state = Locked(State(number: try database.read(isSnapshot: false) { try HistoryReader($0).lastNumber() }))
        let thread = Thread { [self] in run() }
        thread.name = "backstitch changes"
        thread.start()
    }

    /// Tells other processes about a transaction of this store.
    func announce() { source.announce() }

    /// Ends the thread. The thread then releases its resources by itself.
    package func close() {
        state.withLock { $0.isClosed = true }
        source.wake()
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func run() {
        defer { source.letGo() }
        while !isClosed {
            source.wait()
            if isClosed { return }
            do { try tell() } catch let error as BackstitchError where error.code == .storeClosed { return } catch {
                if !isClosed { source.note(error) }
            }
        }
    }

    /// Reads the new transactions from history, and passes their changes to the handler.
    private func tell() throws {
        let number = state.withLock { $0.number }
        let (last, changes): (Int64, StoreChanges) = try source.read { connection in
            let reader = HistoryReader(connection)
            let last = try reader.lastNumber()
            guard last > number else { return (number, StoreChanges()) }
            return (last, try reader.changes(after: number, through: last, except: own.tokens))
        }
        guard last > number else { return }
        state.withLock { $0.number = last }
        own.forget(through: last)
        if !changes.isEmpty { handler(changes) }
    }
}
