import Foundation

/// What devices of the tests keep their objects in; the variable `BACKSTITCH_SYNC_BACKING` names another one for all tests.
enum SyncBacking: String, Sendable {
    case sqlite = "SQLite"
    case postgreSQL = "PostgreSQL"

    @TaskLocal static var current =
        ProcessInfo.processInfo.environment["BACKSTITCH_SYNC_BACKING"].flatMap(SyncBacking.init) ?? .sqlite
}
