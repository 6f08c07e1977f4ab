/// Which database's SQL is spoken, where they differ.
package enum SQLDialect: Sendable, Hashable {
    /// SQLite 3.35 or newer.
    case sqlite
    /// PostgreSQL 14 or newer.
    case postgreSQL

    /// The placeholder of a statement's parameter, counted from one.
    package func placeholder(_ number: Int) -> String {
        switch self {
        case .sqlite: "?"
        case .postgreSQL: "$\(number)"
        }
    }

    /// Ends a query whose rows nobody else may delete before the transaction has ended. SQLite has one writer at a time.
    package var rowHold: String {
        switch self {
        case .sqlite: ""
        case .postgreSQL: " FOR KEY SHARE"
        }
    }
}
