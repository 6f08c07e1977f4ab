import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
import Logging

/// Notices the saves of other processes in a store's file. The system reports writes to SQLite's log, so no queries are
/// needed while nothing happens.
final class SQLiteChangeSource: ChangeSource {
    /// The longest wait in seconds, for systems that lose a wake-up.
    private static let interval = 30
    /// The wait in seconds if the system can watch no more files. It has few watches for all processes of a user.
    private static let intervalUnwatched = 0.5
    /// A pause in seconds, so that commits in quick succession are reported together.
    private static let gathering = 0.01

    private let database: SQLiteDatabase
    /// Nil if the system can watch no more files, and after the end of the feed.
    private let watch: Locked<FileWatch?>
    private let logger = Logger(label: "backstitch.sqlite")

    /// Creates a source that watches the log at that path.
    init(_ database: SQLiteDatabase, log: String) {
        self.database = database
        do { watch = Locked(try FileWatch(log)) } catch {
            logger.info(
                "the log cannot be watched, so it is checked for saves of other processes twice a second: \(error)")
            watch = Locked(nil)
        }
    }

    func wait() {
        let watch = watch.withLock { $0 }
        watch?.wait(seconds: Self.interval)
        Thread.sleep(forTimeInterval: watch == nil ? Self.intervalUnwatched : Self.gathering)
    }

    func wake() { watch.withLock { $0 }?.wake() }

    /// Ends the watch. A program may keep a closed store for a long time, and the system has few watches.
    func letGo() { watch.withLock { $0 = nil } }

    func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        try database.read(isSnapshot: true) { try body($0) }
    }

    func note(_ error: any Error) {
        logger.warning("saves of other processes cannot be read now; they are read with the next save: \(error)")
    }
}
