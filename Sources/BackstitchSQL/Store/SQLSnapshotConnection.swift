package import Backstitch
import BackstitchSupport
import Foundation

/// A connection that stays at one state of a database. Only one thread at a time uses it.
package protocol SQLSnapshotConnection: Sendable {
    associatedtype Connection: SQLConnection

    /// Runs `body` with the connection. A body of ``forEachBatch(of:entity:size:_:)`` may call this too.
    func read<Result>(_ body: (Connection) throws -> Result) throws -> Result

    /// Passes the rows of a query to `body` in batches.
    func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void) throws

    /// Ends the transaction and releases the connection.
    func close()
}
