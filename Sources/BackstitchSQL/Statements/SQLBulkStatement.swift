import Backstitch

/// A statement that is run for many sets of parameters.
///
/// A database in the program's own process runs it once for each. One behind a network runs it once for all: each of
/// its placeholders then takes an array, and it returns, for each row that it wrote, the values that tell which run
/// that was.
package struct SQLBulkStatement: Hashable, Sendable {
    /// The text.
    package let text: String
    /// The types of the placeholders, in order.
    package let types: [SQLBulkType]
    /// The parameters, counted from zero, whose values each returned row has; all are keys. Empty when nobody asks
    /// which runs changed something. A database that runs it for each set tells by counting.
    package let returned: [Int]
}
