import Backstitch
import Foundation

/// The uses of a table that databases store in different ways.
package enum SQLTableKind: Sendable {
    /// Small rows, found by their primary key.
    case keyed
    /// Small rows, found by their primary key, that change again and again.
    case counters
    /// Wide rows, read in the order of their insertion.
    case wide
}
