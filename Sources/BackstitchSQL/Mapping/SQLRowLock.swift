import Backstitch
import Foundation

/// The writes of others that a transaction rules out for rows that it has read.
package enum SQLRowLock: Sendable {
    /// Deleting them.
    case keyShare
    /// Writing and deleting them; others may lock them so too.
    case share
    /// Writing and deleting them; others may still refer to them.
    case noKeyUpdate
    /// Writing, deleting and locking them.
    case update
    /// The same, of those alone that nobody else has locked: the query leaves out the others.
    case unclaimed
}
