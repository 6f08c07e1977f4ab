import Backstitch
import BackstitchSQL
import Foundation
import Logging

/// Tells a store what other processes saved into its file, from a thread of its own.
///
/// The system wakes the thread when SQLite's log is written to, so nothing is asked while nothing happens. The changes
/// are read from history; the store's own transactions are left out by their tokens.
final class SQLiteChangeFeed: Sendable {
    /// For systems that lose a wake-up.
    private static let interval = 30
    /// Where the system watches no more files: it has few watches for all processes of a user.
    private static let intervalUnwatched = 0.5
    /// Commits that come close together are told of together.
    private static let gathering = 0.01

    private struct State {
        /// The last transaction that was told of.
        var number: Int64
        var isClosed = false
    }

    private let database: SQLiteDatabase
    let own = OwnTransactions()
    private let watch: FileWatch?
    private let handler: @Sendable (StoreChanges) -> Void
    private let logger = Logger(label: "backstitch.sqlite")
    private let state: Locked<State>

    /// Starts telling of what comes after the transaction `number`.
    init(
        _ database: SQLiteDatabase, log: String, after number: Int64,
        handler: @escaping @Sendable (StoreChanges) -> Void
    ) {
        self.database = database
        self.handler = handler
        do { watch = try FileWatch(log) } catch {
            logger.info("what other processes save is looked for twice a second: \(error)")
            watch = nil
        }
        state = Locked(State(number: number))
        let thread = Thread { [self] in run() }
        thread.name = "backstitch changes"
        thread.start()
    }

    /// Ends the thread; it lets go of everything by itself.
    func close() {
        state.withLock { $0.isClosed = true }
        watch?.wake()
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func run() {
        while !isClosed {
            watch?.wait(seconds: Self.interval)
            if isClosed { return }
            Thread.sleep(forTimeInterval: watch == nil ? Self.intervalUnwatched : Self.gathering)
            do { try tell() } catch let error as BackstitchError where error.code == .storeClosed { return } catch {
                logger.warning("what other processes saved cannot be read, and will be with the next save: \(error)")
            }
        }
    }

    private func tell() throws {
        let number = state.withLock { $0.number }
        let (last, changes) = try database.read(isSnapshot: true) { connection in
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
