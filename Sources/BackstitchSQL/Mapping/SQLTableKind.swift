import Backstitch
import Foundation

/// The uses of a table, as far as databases keep it in another way for them.
package enum SQLTableKind: Sendable {
    /// Small rows, found by their primary key.
    case keyed
    /// The same, whose rows are changed again and again.
    case counters
    /// Wide rows, read in the order in which they were written.
    case wide
}
