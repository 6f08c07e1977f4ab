import BackstitchSQL
import BackstitchSupport
import CloudWire

/// Where a server keeps everything.
///
/// Both calls run `body` away from the caller's threads, and again when other servers got into its way. A write is
/// atomic: it is undone when `body` throws, and nobody sees the database in between. It returns when what it wrote is
/// safe on the disk. Writes of different zones may be carried out at the same time, so what is read to be changed is
/// read under the zone's lock. A read sees one snapshot.
protocol ZoneStorage: Sendable {
    /// The secret from which the server's keys are made; the same for the life of the storage.
    var secret: [UInt8] { get }

    /// Names the time since the storage was made, or last found to have gone back to an earlier state. Later histories
    /// are greater.
    var history: Int64 { get }

    /// Whether other servers may use it at the same time.
    var isShared: Bool { get }

    /// Folder of the assets' content.
    var assets: AssetFolder { get }

    /// Whether there is any copy to read from.
    var hasReplicas: Bool { get }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value
    ) async throws -> Value

    /// Reads from a copy of the database that may lag behind.
    ///
    /// - Parameter body: Gives nil where the copy has not come far enough.
    func readFromReplica<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value?
    ) async throws -> ReplicaReading<Value>

    /// - Parameters:
    ///   - user: For whom: users take turns with the one writer. Empty for the server itself.
    ///   - bytes: Size of the request that is carried out: writes that wait together share a commit of bounded size.
    func write<Value: Sendable>(
        for user: String, bytes: Int, _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
    ) async throws -> Value

    /// Tries to write, where a write has found the disk full.
    ///
    /// - Throws: ``TransactionFailure`` while it is full.
    func requireRoom() async throws

    /// A connection by which servers that share it tell each other something; nil where there is none. Blocks.
    func makeNotifier() throws -> (any SQLNotifier)?

    /// Closes the storage when no call is running.
    func close() async throws
}

extension ZoneStorage {
    /// Nothing but the database itself is there.
    func readFromReplica<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value?
    ) async throws -> ReplicaReading<Value> { .none }

    /// Whether there is any copy to read from.
    var hasReplicas: Bool { false }

    /// Writes for the server itself.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
    ) async throws -> Value {
        try await write(for: "", bytes: 0, body)
    }
}
