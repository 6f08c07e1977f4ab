import Backstitch
import BackstitchSQL
import GRDB

extension SQLiteDatabase {
    /// Writes the present state of the database into a new file, by SQLite's online backup
    /// (https://www.sqlite.org/backup.html). Readers and writers do not wait for it, also in other processes. Blocks.
    ///
    /// - Throws: ``BackstitchError`` when the file cannot be written.
    package func backUp(to path: String) throws {
        do {
            let target = try DatabaseQueue(path: path)
            try connections.backup(to: target)
            try target.close()
        } catch {
            throw SQLiteFailure.explain(error, store: path)
        }
    }
}
