import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
import Logging

/// Notices what other processes saved into a store's file: the system tells when SQLite's log is written to, so nothing
/// is asked while nothing happens.
final class SQLiteChangeSource: ChangeSource {
    /// For systems that lose a wake-up.
    private static let interval = 30
    /// Where the system watches no more files: it has few watches for all processes of a user.
    private static let intervalUnwatched = 0.5
    /// Commits that come close together are told of together.
    private static let gathering = 0.01

    private let database: SQLiteDatabase
    /// Nil where the system watches no more files, and when the feed has ended.
    private let watch: Locked<FileWatch?>
    private let logger = Logger(label: "backstitch.sqlite")

    /// A source of the changes whose log is at that path.
    init(_ database: SQLiteDatabase, log: String) {
        self.database = database
        do { watch = Locked(try FileWatch(log)) } catch {
            logger.info("what other processes save is looked for twice a second: \(error)")
            watch = Locked(nil)
        }
    }

    func wait() {
        let watch = watch.withLock { $0 }
        watch?.wait(seconds: Self.interval)
        Thread.sleep(forTimeInterval: watch == nil ? Self.intervalUnwatched : Self.gathering)
    }

    func wake() { watch.withLock { $0 }?.wake() }

    /// A program may hold the store for long after it was closed, and the system has few watches.
    func letGo() { watch.withLock { $0 = nil } }

    func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        try database.read(isSnapshot: true) { try body($0) }
    }

    func note(_ error: any Error) {
        logger.warning("what other processes saved cannot be read, and will be with the next save: \(error)")
    }
}
