import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSupport
import Foundation

/// Keeps everything in a database: an embedded one in a directory or in memory, or a database server shared by several
/// zone servers.
final class SQLZoneStorage: ZoneStorage {
    let secret: [UInt8]
    let history: Int64
    let assets: AssetFolder
    let isShared: Bool

    let database: any SQLDatabase
    private let runner: any WorkRunner
    private let commits: GroupCommit
    private let readers: WorkerPool
    private let directory: StorageDirectory?
    private let replicas: ReadReplicas?
    /// Whether a write found the disk full, and no later test found room.
    private let isFull = Locked(false)

    /// Takes a database that has the tables of a storage.
    ///
    /// - Parameters:
    ///   - history: The number of the storage's history. A storage in memory has only one.
    ///   - directory: The storage's directory; nil if it has none.
    ///   - replicas: The read replicas of the database.
    ///   - isShared: Whether other servers write to the database; nil to ask the database.
    init(
        _ database: any SQLDatabase, runner: any WorkRunner, history: Int64 = 1, assets: AssetFolder,
        directory: StorageDirectory? = nil, replicas: ReadReplicas? = nil, isShared: Bool? = nil,
        random: any ServerRandom
    ) throws {
        self.database = database
        self.runner = runner
        self.history = history
        self.assets = assets
        self.directory = directory
        self.replicas = replicas
        self.isShared = isShared ?? database.hasOtherWriters
        commits = GroupCommit(database, witness: directory?.witness, runner: runner)
        readers = WorkerPool(name: "backstitch.server.reader", limit: database.readerCount)
        let fresh = random.bytes(32)
        secret = try database.transact { try SQLTransaction($0).secret(orKeep: fresh) }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value
    ) async throws -> Value {
        try await runner.read(on: readers) { [database] in
            do { return try database.read(isSnapshot: true) { try body(SQLTransaction($0)) } } catch
                where database.mayPass(error)
            {
                throw TransactionFailure(.busy, cause: error)
            }
        }
    }

    var hasReplicas: Bool { replicas != nil }

    func readFromReplica<Value: Sendable>(
        _ body: @escaping @Sendable (any ZoneReading) throws -> Value?
    ) async throws -> ReplicaReading<Value> {
        guard let replicas else { return .none }
        return try await replicas.read(ReadReplicas.Origin(secret: secret, history: history), runner, body)
    }

    func write<Value: Sendable>(
        for user: String, bytes: Int, _ body: @escaping @Sendable (any ZoneWriting) throws -> Value
    ) async throws -> Value {
        do { return try await commits.write(for: user, bytes: bytes, body) } catch let error
            where database.isFull(error)
        {
            isFull.withLock { $0 = true }
            throw TransactionFailure(.full, cause: error)
        }
    }

    func requireRoom() async throws {
        guard isFull.withLock({ $0 }) else { return }
        if let directory, try await freeSpace(of: directory) < Self.leastSpace {
            throw TransactionFailure(
                .full, cause: BackstitchError(.storeFailure, "there are less than \(Self.leastSpace) bytes free"))
        }
        try await write { try $0.probeDisk() }
        isFull.withLock { $0 = false }
    }

    /// The free bytes at which a full disk counts as having room again.
    ///
    /// Without this limit, a small write could succeed while large ones still fail.
    private static let leastSpace: Int64 = 4 << 20

    /// The free bytes of the disk with the database; the maximum if the system gives no number.
    private func freeSpace(of directory: StorageDirectory) async throws -> Int64 {
        try await runner.run {
            let attributes = try FileManager.default.attributesOfFileSystem(forPath: directory.database.name)
            return (attributes[.systemFreeSize] as? NSNumber)?.int64Value ?? .max
        }
    }

    func makeNotifier() throws -> (any SQLNotifier)? { try database.makeNotifier(channel: "zones") }

    func close() async throws {
        try await runner.run { [database, assets, directory, replicas] in
            try Self.doAll([
                { try replicas?.close() },
                // After a checkpoint the file alone is the whole storage, and can be copied.
                { try directory?.database.checkpoint() },
                { try database.close() },
                { directory?.witness.close() },
                { try assets.removeIfTemporary() },
                // The lock is last, so everything is closed when another server gets the directory.
                { directory?.lock.release() },
            ])
        }
    }

    /// Takes all steps, even after one has failed. A full disk is no reason to keep files open.
    ///
    /// - Throws: The error of the first failed step.
    static func doAll(_ steps: [() throws -> Void]) throws {
        var first: (any Error)?
        for step in steps {
            do { try step() } catch { first = first ?? error }
        }
        if let first { throw first }
    }

    /// Removes files of assets that have no row in the tables.
    func removeStrayAssets() throws {
        try database.read(isSnapshot: true) { connection in
            let reading = SQLTransaction(connection)
            try assets.removeStrays { try reading.asset(tenantID: $0, checksum: $1) != nil }
        }
    }
}
