import GRDB

/// A place for a copy of a store's database, in memory.
package final class SQLiteState: Sendable {
    let copy: DatabaseQueue

    /// Creates an empty place for a copy.
    package init() throws { copy = try DatabaseQueue() }
}
