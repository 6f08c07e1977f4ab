import Backstitch
import BackstitchSQL
import GRDBSQLite
import Logging

/// Warns, once a file, when several connections may write to it on a SQLite that cannot bear that: before 3.51.3 two
/// that check the log into the file at the same moment can damage it. One store alone is safe, since only its writing
/// connection does so.
enum SharedFileWarning {
    private static let firstSafeVersion: Int32 = 3_051_003
    private static let warned = Locked<Set<String>>([])
    private static let logger = Logger(label: "backstitch.sqlite")

    /// Call before the file is opened: its shared memory is there if another store has it open, or did not close it.
    static func logIfNeeded(_ file: SQLiteFile) {
        guard sqlite3_libversion_number() < firstSafeVersion, FileCalls.size(of: file.sharedMemory) != nil,
            warned.withLock({ $0.insert(file.path).inserted })
        else { return }
        logger.warning(
            """
            \(file.path) may be open in several stores or processes. SQLite \(String(cString: sqlite3_libversion())) can \
            damage a file that two of them write; update SQLite to 3.51.3 or newer, or give each its own store
            """)
    }
}
