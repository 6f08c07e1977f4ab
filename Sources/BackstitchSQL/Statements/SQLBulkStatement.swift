import Backstitch

/// A statement that runs for many sets of parameters.
///
/// A database in the program's own process runs it once for each set. A database behind a network runs it once for all
/// sets: each placeholder is bound to an array. It then returns values for each row that it wrote. They identify the
/// row's set of parameters.
package struct SQLBulkStatement: Hashable, Sendable {
    /// The text with its placeholders.
    package let text: String
    /// The types of the placeholders, in order.
    package let types: [SQLBulkType]
    /// The parameters, counted from zero, whose values each returned row has; all are keys. Empty if the result of
    /// single runs does not matter. A database that runs the statement for each set counts the rows instead.
    package let returned: [Int]
}
