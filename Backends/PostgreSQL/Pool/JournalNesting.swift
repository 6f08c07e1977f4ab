import Backstitch

/// Knows the stores in whose journal closures this thread or task is, so that calls which would wait for themselves are found out.
enum JournalNesting {
    @TaskLocal private static var stores: Set<ObjectIdentifier> = []

    /// Runs a closure of a user of the journal.
    static func run<Result>(in store: AnyObject, _ body: () throws -> Result) throws -> Result {
        try $stores.withValue(stores.union([ObjectIdentifier(store)]), operation: body)
    }

    /// Throws when this is inside a journal closure of the store.
    static func check(_ store: AnyObject, name: String, _ action: String) throws {
        guard !stores.contains(ObjectIdentifier(store)) else {
            throw BackstitchError(
                .invalidRequest, "\(name) cannot \(action) inside a closure that has its journal open; do it after that"
            )
        }
    }
}
