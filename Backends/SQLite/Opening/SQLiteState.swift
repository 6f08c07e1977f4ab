import GRDB

/// Room for a copy of a store's database, in memory.
package final class SQLiteState: Sendable {
    let copy: DatabaseQueue

    /// Room with nothing in it.
    package init() throws { copy = try DatabaseQueue() }
}
