package import Backstitch
package import Foundation

/// The parts of SQL that databases write differently. The rest of a statement is the same for all of them, and is
/// written once, in this module.
///
/// A backend has a type of its own for this. It passes a value of it when a statement begins:
/// `SQLStatement(dialect, "SELECT 1")`.
///
/// Identifiers are in double quotes and texts in single ones, as in the standard.
package protocol SQLDialect: Sendable {
    /// The dialect of predicates, for conditions and orders.
    var predicates: any SQLPredicateDialect { get }

    // MARK: Statements

    /// The placeholder of a statement's parameter, counted from one.
    func placeholder(_ number: Int) -> String

    /// Adds ` IN (…)` or similar: the expression before it is one of `keys`. There is at least one key, and at most
    /// ``maximumKeys``.
    func append(isOneOf keys: ArraySlice<ObjectKey>, to statement: inout SQLStatement)

    /// The most keys that one statement takes; nil for no limit.
    var maximumKeys: Int? { get }

    /// Whether each statement travels over a network. If so, one statement for two tasks is quicker than two
    /// statements, and one for many rows is much quicker than one for each row.
    var isRemote: Bool { get }

    /// Arrays as a table: one array for each type, side by side as the columns `p1`, `p2` of a table `_p`. A statement
    /// that runs once for many sets of parameters reads its rows. No entity can have the name `_p`. Nil for a database
    /// that runs the statement once for each set.
    func rows(ofArrays types: [SQLBulkType]) -> String?

    /// A statement that reads a table's rows from a stream of bytes. The backend's connection writes the stream. Nil if
    /// the database has no such statement.
    func copy(into table: String, _ columns: [String]) -> String?

    /// The operator between two values that is true if they differ, or if only one of them is NULL.
    var isDistinctFrom: String { get }

    /// The end of a query that keeps other transactions from certain writes to its rows until this one ends. Empty for
    /// a database with one writer at a time.
    ///
    /// - Parameter table: The alias of the table with the rows to lock; nil for all tables of the query.
    func rowLock(_ lock: SQLRowLock, of table: String?) -> String

    /// A table of one column, `wanted`, with the texts of a list.
    ///
    /// - Parameter json: The placeholder of the list, a JSON array of texts.
    func rows(ofTexts json: String) -> String

    /// The SQL before and after a condition that looks up rows of `table` for each row of the preceding list. The plan
    /// must not depend on the row counts that the database expects. Otherwise a database that has counted no rows of a
    /// new zone would read all rows of it, and search the list for each.
    ///
    /// ```sql
    /// SELECT name FROM LIST CROSS JOIN record WHERE name = wanted
    /// SELECT name FROM LIST CROSS JOIN LATERAL (SELECT * FROM record WHERE name = wanted OFFSET 0) AS record
    /// ```
    /// - Parameter index: The index for the condition, for a database that would choose another; nil if the database
    ///   finds the right one by itself.
    func lookingUp(_ table: String, by index: String?) -> (before: String, after: String)

    /// The SQL after a table's name, to read the table by an index. It is empty if the database finds the right index
    /// by itself.
    func naming(index: String) -> String

    /// The parts around a list and a condition that end a statement `DELETE FROM table`. It removes the rows that meet
    /// the condition and have a text of the list in `column`. They are found by their index, for any size that the
    /// database expects; see ``lookingUp(_:by:)``.
    ///
    /// ```sql
    /// DELETE FROM record WHERE name IN (SELECT wanted FROM LIST) AND deleted = 1
    /// DELETE FROM record WHERE ctid = ANY (ARRAY(SELECT record.ctid FROM LIST
    ///     CROSS JOIN LATERAL (SELECT ctid FROM record WHERE name = wanted AND deleted = 1 OFFSET 0) AS record))
    /// ```
    /// No other transaction may change these rows meanwhile.
    func removing(from table: String, _ column: String) -> (before: String, between: String, after: String)

    /// The parts around a condition that end a statement `DELETE FROM table`. It removes the rows of the condition, and
    /// the condition ends with an order and a limit. Nil if the database would read more than these rows. Then they are
    /// removed by their keys.
    ///
    /// ```sql
    /// DELETE FROM answer WHERE ctid = ANY (ARRAY(SELECT ctid FROM answer WHERE created < 1 ORDER BY created LIMIT 10))
    /// ```
    /// A row that another transaction changes meanwhile may be left out.
    func removingPiece(of table: String) -> (before: String, after: String)?

    /// A query that waits until the turn of this name is free, and holds it until the end of the transaction. Nil for a
    /// database with one writer at a time.
    func turn(_ name: String) -> String?

    /// Whether rows are returned in the order of their keys without an `ORDER BY`.
    var readsInOrderOfKeys: Bool { get }

    /// An expression for the current time, in milliseconds since 1970.
    var now: String { get }

    // MARK: Tables

    /// The column types of the system tables, and of keys and versions.
    var types: SQLSystemTypes { get }

    /// The type of a property's column in a table declaration; empty for no type.
    func type(of property: ResolvedProperty) -> String

    /// The end of a table declaration that keeps the rows in the tree of the primary key.
    var keyedTableEnding: String { get }

    /// The declaration of a key column that numbers the rows by itself.
    var numberedKey: String { get }

    /// The end of the declaration of a table that belongs to no store.
    func tableEnding(_ kind: SQLTableKind) -> String

    /// The statements that create the triggers for sums of a table's rows; see ``SQLTally``.
    func triggers(_ tally: SQLTally) -> [String]

    /// The queries for the list of tables; nil if the database keeps only the tables of stores.
    var catalog: SQLCatalog? { get }

    /// A statement for a numbered key (``numberedKey``) after rows were inserted with their numbers. Afterwards new
    /// numbers follow the greatest number in the table. Nil if the database does that by itself.
    func renumbering(of table: String, _ column: String) -> String?

    /// The prefixes that no entity name may have.
    var reservedPrefixes: [String] { get }

    /// The names that no column may have, quoted or not.
    var reservedColumns: Set<String> { get }

    /// The statements that add a column to a table. Existing rows get the default without a write to them. So do later
    /// rows without a value for the column: those of a program with the older model.
    ///
    /// - Parameter declaration: The name and type of the column.
    func addition(of column: String, _ declaration: String, to table: String, default literal: String?) -> [String]

    /// Changes a column to another type that can hold all of its values. Both names are in quotes. Called only if the
    /// types differ.
    func widening(of column: String, to type: String, in table: String) -> String

    /// The functions for the triggers of derived columns, one statement each.
    var derivedFunctions: [String] { get }

    /// The triggers of a table that keep a derived column up to date.
    ///
    /// - Parameter name: Their name, or its beginning if the dialect needs several triggers.
    func triggers(_ name: String, of column: DerivedColumn, on source: DerivedColumn.Source) -> [SQLTrigger]

    /// Removes a trigger, if it exists. Both names are in quotes.
    func removal(ofTrigger name: String, from table: String) -> String

    // MARK: Literals

    /// The literal of a truth value.
    func literal(_ value: Bool) -> String
    /// The literal of a decimal number.
    func literal(_ value: Decimal) -> String
    /// The literal of some bytes.
    func literal(_ value: Data) -> String
    /// The literal of a UUID.
    func literal(_ value: UUID) -> String
}

extension SQLDialect {
    /// No names are reserved.
    package var reservedColumns: Set<String> { [] }

    /// Written for a database that keeps the tables of a cross join in their order.
    package func lookingUp(_ table: String, by index: String?) -> (before: String, after: String) {
        (" CROSS JOIN \(table) WHERE ", "")
    }

    /// As a database has it that searches an index for each element of a list.
    package func removing(from table: String, _ column: String) -> (before: String, between: String, after: String) {
        (" WHERE \(column) IN (SELECT wanted FROM ", ") AND ", "")
    }

    /// Nil: the rows are removed by their keys.
    package func removingPiece(of table: String) -> (before: String, after: String)? { nil }
}

extension SQLDialect {
    /// Uses the form of most databases: `ALTER COLUMN … TYPE`.
    package func widening(of column: String, to type: String, in table: String) -> String {
        "ALTER TABLE \(table) ALTER COLUMN \(column) TYPE \(type)"
    }
}
