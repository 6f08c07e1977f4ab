package import Backstitch
package import Foundation

/// How a database writes SQL, where databases differ. All else of a statement is the same for all of them and is
/// written once, in this module.
///
/// A backend gives a value of a type of its own, and passes it wherever statements begin:
/// `SQLStatement(dialect, "SELECT 1")`.
///
/// Identifiers are in double quotes and texts in single ones, as the standard has it.
package protocol SQLDialect: Sendable {
    /// How predicates are written.
    var predicates: any SQLPredicateDialect { get }

    // MARK: Statements

    /// The placeholder of a statement's parameter, counted from one.
    func placeholder(_ number: Int) -> String

    /// Adds ` IN (…)` or the like: that the expression before it is one of `keys`, at most ``maximumKeys`` and at least
    /// one.
    func append(isOneOf keys: ArraySlice<ObjectKey>, to statement: inout SQLStatement)

    /// How many keys one statement takes; nil for any number.
    var maximumKeys: Int? { get }

    /// Whether each statement takes a way over a network. Then one statement that does two things is quicker than two,
    /// and one for many rows much quicker than one each.
    var isRemote: Bool { get }

    /// The rows of as many arrays as there are types, laid side by side, as a table `_p` with columns `p1`, `p2`: the
    /// source of a statement that is run once for many sets of parameters. No entity has a name like that. Nil where it
    /// is run for each set.
    func rows(ofArrays types: [SQLBulkType]) -> String?

    /// A statement that takes rows of a table as a stream of bytes, which the backend's connection writes; nil where
    /// there is none.
    func copy(into table: String, _ columns: [String]) -> String?

    /// Between two values that differ, or of which one is NULL.
    var isDistinctFrom: String { get }

    /// Ends a query whose rows nobody else may write in a way before the transaction has ended; empty where there is
    /// one writer at a time.
    ///
    /// - Parameter table: The alias of the table whose rows are meant; nil for all.
    func rowLock(_ lock: SQLRowLock, of table: String?) -> String

    /// A table of one column, `wanted`: the texts of a list.
    ///
    /// - Parameter json: The placeholder of the list, a JSON array of texts.
    func rows(ofTexts json: String) -> String

    /// The words before and after a condition, with which rows of `table` are looked up for each row of the list before
    /// them, however many of either the database expects: one that has counted no rows of a new zone would read all of
    /// them, and go through the list for each.
    ///
    /// ```sql
    /// SELECT name FROM LIST CROSS JOIN record WHERE name = wanted
    /// SELECT name FROM LIST CROSS JOIN LATERAL (SELECT * FROM record WHERE name = wanted OFFSET 0) AS record
    /// ```
    /// - Parameter index: The index that serves the condition, for a database that would take another one; nil where
    ///   it finds the right one by itself.
    func lookingUp(_ table: String, by index: String?) -> (before: String, after: String)

    /// A query that waits until no other transaction has taken the same turn, and keeps it to the end of this one; nil
    /// where there is one writer at a time.
    func turn(_ name: String) -> String?

    /// Whether rows come in the order of their keys without being asked to.
    var readsInOrderOfKeys: Bool { get }

    /// The milliseconds since 1970, as an expression.
    var now: String { get }

    // MARK: Tables

    /// The types of the tables that each store has.
    var types: SQLSystemTypes { get }

    /// The type of a property's column, as tables declare it; empty for none.
    func type(of property: ResolvedProperty) -> String

    /// Ends the declaration of a table whose rows are kept in the tree of its primary key.
    var keyedTableEnding: String { get }

    /// Declares a key of one column that numbers the rows by itself.
    var numberedKey: String { get }

    /// Ends the declaration of a table that is no store's.
    func tableEnding(_ kind: SQLTableKind) -> String

    /// The statements that make triggers which keep sums of a table's rows; see ``SQLTally``.
    func triggers(_ tally: SQLTally) -> [String]

    /// How the database tells which tables there are; nil where no tables are kept but those of stores.
    var catalog: SQLCatalog? { get }

    /// A statement after which a numbered key (``numberedKey``) goes on behind the greatest number that a table has:
    /// rows have come with their numbers. Nil where it does so by itself.
    func renumbering(of table: String, _ column: String) -> String?

    /// The beginnings that no name of an entity may have.
    var reservedPrefixes: [String] { get }

    /// The names that no column may have, quoted or not.
    var reservedColumns: Set<String> { get }

    /// The statements that add a column to a table. The rows that are there get the default without being written, and
    /// so do later ones that do not give the column: those of a program that still has the older model.
    ///
    /// - Parameter declaration: Name and type.
    func addition(of column: String, _ declaration: String, to table: String, default literal: String?) -> [String]

    /// Gives a column of a table another type that has all of its values. Both names are in quotes. Asked for only
    /// where types differ.
    func widening(of column: String, to type: String, in table: String) -> String

    /// The functions that triggers of derived columns use, one statement each.
    var derivedFunctions: [String] { get }

    /// The triggers by which a table keeps a derived column.
    ///
    /// - Parameter name: Their name, or what it begins with where it takes several.
    func triggers(_ name: String, of column: DerivedColumn, on source: DerivedColumn.Source) -> [SQLTrigger]

    /// Takes a trigger away, if it is there. Both names are in quotes.
    func removal(ofTrigger name: String, from table: String) -> String

    // MARK: Literals

    /// A truth value.
    func literal(_ value: Bool) -> String
    /// A decimal.
    func literal(_ value: Decimal) -> String
    /// Bytes.
    func literal(_ value: Data) -> String
    /// A UUID.
    func literal(_ value: UUID) -> String
}

extension SQLDialect {
    /// None.
    package var reservedColumns: Set<String> { [] }

    /// As a database has it that takes the tables of a cross join in their order.
    package func lookingUp(_ table: String, by index: String?) -> (before: String, after: String) {
        (" CROSS JOIN \(table) WHERE ", "")
    }
}

extension SQLDialect {
    /// As databases mostly do it.
    package func widening(of column: String, to type: String, in table: String) -> String {
        "ALTER TABLE \(table) ALTER COLUMN \(column) TYPE \(type)"
    }
}
