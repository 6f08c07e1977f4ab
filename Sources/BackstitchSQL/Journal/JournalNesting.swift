import Backstitch

/// Knows the databases in whose journal closures this thread or task is, so that calls which would wait for themselves
/// are found out.
package enum JournalNesting {
    @TaskLocal private static var databases: Set<ObjectIdentifier> = []

    /// Runs a closure of a user of the journal.
    package static func run<Result>(in database: AnyObject, _ body: () throws -> Result) throws -> Result {
        try $databases.withValue(databases.union([ObjectIdentifier(database)]), operation: body)
    }

    /// Whether this is inside a journal closure of the database.
    package static func contains(_ database: AnyObject) -> Bool { databases.contains(ObjectIdentifier(database)) }

    /// Throws when this is inside a journal closure of the database.
    ///
    /// - Parameter action: The rest of "cannot …": `be saved to`, for instance.
    package static func check(_ database: AnyObject, name: String, _ action: String) throws {
        guard !contains(database) else {
            throw BackstitchError(
                .invalidRequest,
                "\(name) cannot \(action) inside a closure that has its journal open; use the journal, or do it after that"
            )
        }
    }
}
