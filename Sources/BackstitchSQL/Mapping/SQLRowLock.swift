import Backstitch
import Foundation

/// The writes by others that a transaction prevents for rows that it has read.
package enum SQLRowLock: Sendable {
    /// Prevents others from deleting the rows.
    case keyShare
    /// Prevents writing and deleting. Others may take the same lock.
    case share
    /// Prevents writing and deleting. Others may still refer to the rows.
    case noKeyUpdate
    /// Prevents writing, deleting and locking.
    case update
    /// The same as `update`, but the query skips rows that others have locked.
    case unclaimed
}
