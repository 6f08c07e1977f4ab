import Backstitch

/// Knows the databases whose journal closures surround the current task. Calls that would wait for themselves are
/// refused.
package enum JournalNesting {
    @TaskLocal private static var databases: Set<ObjectIdentifier> = []

    /// Runs a closure that uses the journal.
    package static func run<Result>(in database: AnyObject, _ body: () throws -> Result) throws -> Result {
        try $databases.withValue(databases.union([ObjectIdentifier(database)]), operation: body)
    }

    /// Whether the current task is inside a journal closure of the database.
    package static func contains(_ database: AnyObject) -> Bool { databases.contains(ObjectIdentifier(database)) }

    /// Throws if the current task is inside a journal closure of the database.
    ///
    /// - Parameter action: The rest of "cannot …", for instance `be saved to`.
    package static func check(_ database: AnyObject, name: String, _ action: String) throws {
        guard !contains(database) else {
            throw BackstitchError(
                .invalidRequest,
                "\(name) cannot \(action) inside a closure that has its journal open; use the journal, or do it "
                    + "after the closure"
            )
        }
    }
}
