import Foundation
import TestSupport
import Testing

/// The stores in which devices of the tests keep their objects; the variable `BACKSTITCH_SYNC_BACKING` names another
/// one for all tests.
enum SyncBacking: String, Sendable {
    case sqlite = "SQLite"
    case postgreSQL = "PostgreSQL"

    @TaskLocal static var current =
        ProcessInfo.processInfo.environment["BACKSTITCH_SYNC_BACKING"].flatMap(SyncBacking.init) ?? .sqlite
}

extension Trait where Self == ConditionTrait {
    /// For tests of a store's files, and of other processes that share them.
    static var onFiles: Self { .enabled(if: SyncBacking.current == .sqlite, "objects are kept in no files") }
}
