import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
import Logging

/// Maintains a storage without being a server: counts, checks, purges, backs up, restores and moves it.
///
/// ```swift
/// let maintenance = StorageMaintenance(.init(storage: .directory(folder)))
/// let status = try await maintenance.status()
/// let report = try await maintenance.verify()
/// try await maintenance.backUp(to: backup)                              // while the server runs
/// try await StorageMaintenance(.init(storage: .directory(other))).restore(from: backup)
/// ```
///
/// | | a folder | a database that servers share |
/// |---|---|---|
/// | ``status(users:)``, ``verify(hashes:)``, ``backUp(to:)`` | while its server runs | while servers run |
/// | ``purge()`` | when no server has it | while servers run |
/// | ``restore(from:)`` | into a folder without a storage | into a schema that no server has used |
/// | ``copy(to:)`` | when no server has it | when all its servers have stopped |
public struct StorageMaintenance: Sendable {
    let configuration: ZoneServerConfiguration

    /// Creates maintenance for the storage of a configuration. It uses the places of records and assets, the retention
    /// times, the clock and the log.
    public init(_ configuration: ZoneServerConfiguration) { self.configuration = configuration }

    /// Runs `body` with the storage open for reading. `body` may block, and servers may use the storage meanwhile.
    func reading<Value: Sendable>(_ body: @escaping @Sendable (MaintainedStorage) throws -> Value) async throws -> Value
    {
        try await BlockingWork.run { [configuration] in
            let storage = try MaintainedStorage.openForReading(configuration)
            let value: Value
            do { value = try body(storage) } catch {
                try? storage.close()
                throw Self.explained(error, storage.name)
            }
            try storage.close()
            return value
        }
    }

    /// Converts the error of a database to the server's kind of error.
    static func explained(_ error: any Error, _ name: String) -> any Error {
        switch error {
        case is ZoneServerError, is CancellationError: error
        default:
            ZoneServerError(
                .storageUnavailable, "the storage in \(name) cannot be read or written as required", cause: error)
        }
    }
}
