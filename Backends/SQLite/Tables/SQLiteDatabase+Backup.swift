import Backstitch
import BackstitchSQL
import GRDB

extension SQLiteDatabase {
    /// Writes the state of the database as it is now into a new file, by SQLite's online backup
    /// (https://www.sqlite.org/backup.html). Nobody who reads or writes waits for it, also in another process. Blocks.
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
