public import Backstitch
import BackstitchSQL
import GRDB

extension SQLiteStore {
    /// The store as it is now, through a connection of its own; nil for a store in memory. While it lives, the log
    /// beside the file keeps growing with what is saved.
    public func makeSnapshot() throws -> (any StoreSnapshot)? {
        // The bytes that a state names stay as long as it is read; who reads it shares them from before it is taken.
        try content.content.share()
        do {
            let snapshot = try database.makeSnapshot().map {
                SQLSnapshot(
                    SQLiteSnapshotConnection(database: database, snapshot: $0, content: content.content),
                    statements: statements)
            }
            if snapshot == nil { content.content.unshare() }
            return snapshot
        } catch {
            content.content.unshare()
            throw error
        }
    }
}

private struct SQLiteSnapshotConnection: SQLSnapshot.Connection {
    let database: SQLiteDatabase
    let snapshot: DatabaseSnapshot
    let content: AssetGuard

    func read(_ body: (any SQLConnection) throws -> Void) throws { try database.read(snapshot, body) }

    func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        try database.forEachBatch(of: statement, entity: entity, size: size, in: snapshot, body)
    }

    func close() {
        // It only reads, so nothing is lost when it cannot be closed in order.
        try? snapshot.close()
        content.unshare()
    }
}
