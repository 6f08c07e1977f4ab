import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSupport
import CoreMetrics

/// Keeps everything in a database: an embedded one in a directory or in memory, or a database server shared by several
/// zone servers.
///
/// `read` and `write` run `body` away from the caller's threads, and run it again if other servers interfered. A read
/// sees one snapshot.
///
/// A write is atomic: it is undone when `body` throws, and other readers never see the state in between. It returns
/// when the changes are safe on the disk. Writes of different zones may run at the same time. So read values under the
/// zone's lock before changing them.
final class ZoneStorage: Sendable {
    /// The root secret of the server's keys. It never changes during the life of the storage.
    let secret: [UInt8]

    /// The number of the storage's history. A new history begins when the storage is made, and when a return to an
    /// earlier state is noticed. Later histories have greater numbers.
    let history: Int64

    /// Whether other servers may use the storage at the same time.
    let isShared: Bool

    /// The folder with the content of assets.
    let assets: AssetFolder

    let database: any SQLDatabase
    private let runner: any WorkRunner
    private let commits: GroupCommit
    private let readers: WorkerPool
    private let directory: StorageDirectory?
    private let replicas: ReadReplicas?
    private let metrics = StorageMetrics()
    /// The room on the disk.
    let room: DiskRoom

    /// Takes a database that has the tables of a storage.
    ///
    /// - Parameters:
    ///   - history: The number of the storage's history. A storage in memory has only one.
    ///   - directory: The storage's directory; nil if it has none.
    ///   - replicas: The read replicas of the database.
    ///   - clock: Measures the time since a database server had no room.
    ///   - isShared: Whether other servers write to the database; nil to ask the database.
    init(
        _ database: any SQLDatabase, runner: any WorkRunner, history: Int64 = 1, assets: AssetFolder,
        directory: StorageDirectory? = nil, replicas: ReadReplicas? = nil, clock: (any WallClock)? = nil,
        isShared: Bool? = nil, random: any ServerRandom
    ) throws {
        self.database = database
        self.runner = runner
        self.history = history
        self.assets = assets
        self.directory = directory
        self.replicas = replicas
        self.isShared = isShared ?? database.hasOtherWriters
        room = directory?.room ?? DiskRoom(clock: clock)
        commits = GroupCommit(database, witness: directory?.witness, room: room, runner: runner)
        readers = WorkerPool(name: "backstitch.server.reader", limit: database.readerCount)
        let fresh = random.bytes(32)
        secret = try database.transact { try ZoneTransaction($0).secret(orKeep: fresh) }
    }

    /// Runs `body` on one snapshot of the storage, and returns its value.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (ZoneSnapshot) throws -> Value
    ) async throws -> Value {
        try await metrics.read.measure {
            try await runner.read(on: readers) { [database] in
                do { return try database.read(isSnapshot: true) { try body(ZoneSnapshot($0)) } } catch
                    where database.mayPass(error)
                {
                    throw TransactionFailure(.busy, cause: error)
                }
            }
        }
    }

    /// Whether read replicas are configured.
    var hasReplicas: Bool { replicas != nil }

    /// Reads from a replica, which may lag behind the database.
    ///
    /// - Parameter body: Returns nil if the replica is not yet far enough.
    func readFromReplica<Value: Sendable>(
        _ body: @escaping @Sendable (ZoneSnapshot) throws -> Value?
    ) async throws -> ReplicaReading<Value> {
        guard let replicas else { return .none }
        return try await replicas.read(ReadReplicas.Origin(secret: secret, history: history), runner, body)
    }

    /// Runs `body` in a transaction, and returns its value after the commit.
    ///
    /// - Parameters:
    ///   - user: The user of the request. Users take turns if there is one writer. Empty for the server itself.
    ///   - bytes: The size of the request. Waiting writes share a commit of bounded size.
    ///   - frees: Whether the write stores nothing of any size: it deletes, revokes, or changes a note in its place. A
    ///     full disk with a reserve does not prevent such a write.
    func write<Value: Sendable>(
        for user: String, bytes: Int, frees: Bool = false,
        _ body: @escaping @Sendable (ZoneTransaction) throws -> Value
    ) async throws -> Value {
        metrics.writesPending.increment()
        defer { metrics.writesPending.decrement() }
        return try await metrics.write.measure { try await commit(for: user, bytes: bytes, frees: frees, body) }
    }

    /// Writes for the server itself, which is not a user.
    func write<Value: Sendable>(
        frees: Bool = false, _ body: @escaping @Sendable (ZoneTransaction) throws -> Value
    ) async throws -> Value {
        try await write(for: "", bytes: 0, frees: frees, body)
    }

    /// Commits a write if the disk has room for it, and notes when it has none.
    private func commit<Value: Sendable>(
        for user: String, bytes: Int, frees: Bool, _ body: @escaping @Sendable (ZoneTransaction) throws -> Value
    ) async throws -> Value {
        if !frees, room.isFull { try await runner.run { [room] in try room.require() } }
        var attempts = 0
        while true {
            do {
                let value = try await commits.write(for: user, bytes: bytes, body)
                if !frees { room.noteSuccess() }
                return value
            } catch let error where database.isFull(error) {
                try await runner.run { [room] in try room.noteFull(givingUpReserve: frees) }
                attempts += 1
                // Writes of others that began before may take the reserve's first bytes.
                guard frees, room.hasReserve, attempts < Self.attemptsOnFullDisk else {
                    throw TransactionFailure(.full, cause: error)
                }
            }
        }
    }

    /// How often a write that frees space is tried on a full disk.
    private static let attemptsOnFullDisk = 3

    /// Measures the room on the disk, and fills a reserve that was used. If the last write found no room, it tries a
    /// small write.
    ///
    /// - Throws: ``TransactionFailure`` as long as the disk is full.
    func requireRoom() async throws {
        try await runner.run { [room] in try room.require() }
        guard room.isFull else { return }
        try room.requirePause()
        try await write { try $0.probeDisk() }
        room.noteRoom()
    }

    /// Whether writes that store something are tried. It is measured again while the disk is full.
    func hasRoom() async throws -> Bool {
        guard room.isFull else { return true }
        return try await runner.run { [room] in
            try room.look()
            return !room.isTight
        }
    }

    /// Requires room for a file among the assets. Only the database's disk has a reserve, so the file must leave some
    /// room to other writes.
    ///
    /// - Throws: ``TransactionFailure`` if the disk is full, or would be with the file.
    func requireRoom(forFile bytes: Int) async throws {
        try await runner.run { [room, assets] in
            if room.isFull { try room.require() }
            guard Int64(bytes) <= (try assets.freeSpace()) - DiskRoom.least else { throw DiskRoom.full }
        }
    }

    /// A connection for messages between servers that share the storage; nil if it is not supported. Blocks.
    func makeNotifier() throws -> (any SQLNotifier)? { try database.makeNotifier(channel: "zones") }

    /// Closes the storage. Call it when no other call is running.
    func close() async throws {
        try await runner.run { [database, assets, directory, replicas] in
            try Self.doAll([
                { try replicas?.close() },
                // After a checkpoint the file alone is the whole storage, and can be copied.
                { try directory?.room.emptyLog() },
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
            let reading = ZoneSnapshot(connection)
            try assets.removeStrays { try reading.asset(tenantID: $0, checksum: $1) != nil }
        }
    }
}
