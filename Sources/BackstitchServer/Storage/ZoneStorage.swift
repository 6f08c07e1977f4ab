import BackstitchSQL
import BackstitchSupport
import CloudWire

/// The storage of a server, with all its databases, accounts and assets.
///
/// `read` and `write` run `body` away from the caller's threads, and run it again if other servers interfered. A read
/// sees one snapshot.
///
/// A write is atomic: it is undone when `body` throws, and other readers never see the state in between. It returns
/// when the changes are safe on the disk. Writes of different zones may run at the same time. So read values under the
/// zone's lock before changing them.
protocol ZoneStorage: Sendable {
    /// The root secret of the server's keys. It never changes during the life of the storage.
    var secret: [UInt8] { get }

    /// The number of the storage's history. A new history begins when the storage is made, and when a return to an
    /// earlier state is noticed. Later histories have greater numbers.
    var history: Int64 { get }

    /// Whether other servers may use the storage at the same time.
    var isShared: Bool { get }

    /// The folder with the content of assets.
    var assets: AssetFolder { get }

    /// Whether read replicas are configured.
    var hasReplicas: Bool { get }

    /// Runs `body` on one snapshot of the storage, and returns its value.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value
    ) async throws -> Value

    /// Reads from a replica, which may lag behind the database.
    ///
    /// - Parameter body: Returns nil if the replica is not yet far enough.
    func readFromReplica<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value?
    ) async throws -> ReplicaReading<Value>

    /// Runs `body` in a transaction, and returns its value after the commit.
    ///
    /// - Parameter user: The user of the request. Users take turns if there is one writer. Empty for the server itself.
    /// - Parameter bytes: The size of the request. Waiting writes share a commit of bounded size.
    func write<Value: Sendable>(
        for user: String, bytes: Int, _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
    ) async throws -> Value

    /// Tries a small write if an earlier write found the disk full.
    ///
    /// - Throws: ``TransactionFailure`` as long as the disk is full.
    func requireRoom() async throws

    /// A connection for messages between servers that share the storage; nil if it is not supported. Blocks.
    func makeNotifier() throws -> (any SQLNotifier)?

    /// Closes the storage. Call it when no other call is running.
    func close() async throws
}

extension ZoneStorage {
    /// The default for a storage without replicas: it reads nothing.
    func readFromReplica<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value?
    ) async throws -> ReplicaReading<Value> { .none }

    /// False by default, for a storage without replicas.
    var hasReplicas: Bool { false }

    /// Writes for the server itself, which is not a user.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
    ) async throws -> Value {
        try await write(for: "", bytes: 0, body)
    }
}
