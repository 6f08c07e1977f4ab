import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSupport
import CoreMetrics
import Foundation
import Logging

/// Whether the disk of a storage has room for writes. Its calls block.
///
/// A disk is full if too little is left for large writes, or if a write found no room. Meanwhile a storage in a
/// directory only runs writes that free space, such as deletions. If such a write finds no room, it gets the bytes of
/// the reserve (``DiskReserve``).
///
/// The database's log must be copied into the file sooner or later, and may need room there. So on a disk with little
/// room it is copied before each group of writes.
///
/// A database server looks after its own disk. Here only its refusals are known, and each write is tried. A small write
/// may still find room when larger ones fail, so a refusal counts for a minute.
final class DiskRoom: Sendable {
    private struct Place {
        let path: String
        let log: String
        let database: SQLiteDatabase
        let reserve: DiskReserve
        let logger: Logger
        let freeSpace: @Sendable () throws -> Int64
    }

    private struct State {
        /// Whether the last measurement found too little room.
        var isTight = false
        /// Whether the last write that stores something found no room.
        var hasFailed = false
        /// The uptime of the last such failure, in milliseconds.
        var failure: Int64 = 0
        var isLooking = false
        /// Whether the log has the failure to write the reserve.
        var hasWarned = false

        var isFull: Bool { isTight || hasFailed }
    }

    /// Nil for a database without a directory.
    private let place: Place?
    private let state = Locked(State())
    private let clock: (any WallClock)?
    private let meter = MetricsSystem.factory.meter(.storageFull)

    /// The room of a database that has no directory.
    ///
    /// - Parameter clock: Measures the time since a refusal; nil for a database that never refuses.
    init(clock: (any WallClock)? = nil) {
        place = nil
        self.clock = clock
    }

    /// The room of the disk with a storage's directory. Nothing is measured yet.
    ///
    /// - Parameter freeSpace: The free bytes of the disk.
    init(
        directory: URL, _ database: SQLiteDatabase, _ reserve: DiskReserve, logger: Logger,
        freeSpace: @escaping @Sendable () throws -> Int64
    ) {
        clock = nil
        place = Place(
            path: directory.path, log: database.name + "-wal", database: database, reserve: reserve, logger: logger,
            freeSpace: freeSpace)
    }

    /// The bytes beside the reserve below which a disk is full. Unused pages of the database count.
    ///
    /// Without this limit, a small write could succeed while large ones still fail.
    static let least: Int64 = 4 << 20
    /// The bytes for the database's log, of those above. Unused pages do not help the log.
    static let leastForLog: Int64 = 2 << 20
    /// The bytes of a reserve below which other writes do not begin again.
    static let leastReserve: Int64 = 1 << 20
    /// The milliseconds for which the refusal of a database server counts.
    static let pause: Int64 = 60_000

    /// Whether the disk is full.
    var isFull: Bool { state.withLock { $0.isFull } }

    /// Whether the last measurement found too little room, so that writes that store something are not tried.
    var isTight: Bool { state.withLock { $0.isTight } }

    /// Whether writes that free space have a reserve.
    var hasReserve: Bool { place != nil }

    /// The error of a write on a full disk.
    static var full: TransactionFailure {
        TransactionFailure(
            .full,
            cause: BackstitchError(
                .storeFailure, "the disk of the storage has too little room left; free some space on it"))
    }

    /// Measures the room again.
    ///
    /// - Throws: ``TransactionFailure`` if a write that stores something need not be tried.
    func require() throws {
        try look()
        if isTight { throw Self.full }
    }

    /// Requires a pause after the last refusal of a database server, before a small write tries its disk.
    ///
    /// - Throws: ``TransactionFailure`` if the refusal is recent.
    func requirePause() throws {
        guard let clock, clock.uptime() - state.withLock({ $0.failure }) < Self.pause else { return }
        throw Self.full
    }

    /// Measures the room, and lengthens a reserve that is not whole. Its missing bytes do not count as room, or the
    /// reserve would be used up by other writes.
    func look() throws {
        guard let place else { return }
        let isFirst = state.withLock { state in
            defer { state.isLooking = true }
            return !state.isLooking
        }
        guard isFirst else { return }
        defer { state.withLock { $0.isLooking = false } }
        let free = try place.freeSpace(), length = place.reserve.length
        let growth = max(0, min(DiskReserve.size - length, free - Self.leastForLog))
        let isTight = try length + growth < Self.leastReserve || !isEnough(free - growth, place)
        if !isTight { lengthen(place, by: growth) }
        note(place) { $0.isTight = isTight }
    }

    /// Before a group of writes: measures the room if it may end soon. The log is emptied first.
    func prepare() throws {
        guard let place else { return }
        let log = FileCalls.size(of: place.log) ?? 0
        guard try place.freeSpace() < log + 2 * Self.least else { return }
        try emptyLog()
        if try !isEnough(place.freeSpace(), place) { note(place) { $0.isTight = true } }
    }

    /// Notes that a write found no room.
    ///
    /// - Parameter givingUpReserve: Whether the write frees space, and gets the reserve's bytes for its next attempt.
    func noteFull(givingUpReserve: Bool) throws {
        let now = clock?.uptime() ?? 0
        note(place) { ($0.hasFailed, $0.failure) = (true, now) }
        if givingUpReserve { try place?.reserve.giveUp() }
    }

    /// Notes that a write that stores something found room.
    func noteSuccess() {
        if clock == nil { noteRoom() }
    }

    /// Notes that there is room again.
    func noteRoom() {
        guard state.withLock({ $0.hasFailed }) else { return }
        note(place) { $0.hasFailed = false }
    }

    /// Copies the log into the database's file. A full disk may prevent that; then the log keeps its content.
    func emptyLog() throws {
        guard let place else { return }
        do { try place.database.checkpoint() } catch  where place.database.isFull(error) {
            place.logger.debug("the disk is full, so the log of the database was not emptied: \(error)")
        }
    }

    /// Whether writes have enough room with so many free bytes. If these are plenty, the database is not asked.
    private func isEnough(_ free: Int64, _ place: Place) throws -> Bool {
        if free >= Self.least { return true }
        guard free + (try place.database.unusedBytes()) >= Self.least else { return false }
        return free >= Self.leastForLog || free + (FileCalls.size(of: place.log) ?? 0) >= Self.leastForLog
    }

    /// Lengthens the reserve. The server works without it, so the first of several failures is a warning.
    private func lengthen(_ place: Place, by count: Int64) {
        do {
            try place.reserve.lengthen(by: count)
            state.withLock { $0.hasWarned = false }
        } catch {
            let mustWarn = state.withLock { state in
                defer { state.hasWarned = true }
                return !state.hasWarned
            }
            guard mustWarn else { return }
            place.logger.warning(
                "the reserve for deletions on a full disk was not written, will be tried again: \(error)")
        }
    }

    /// Changes the state, and reports when the disk becomes full or has room again.
    private func note(_ place: Place?, _ change: (inout State) -> Void) {
        let (wasFull, isFull) = state.withLock { state in
            let wasFull = state.isFull
            change(&state)
            return (wasFull, state.isFull)
        }
        guard wasFull != isFull else { return }
        meter.set(isFull ? 1 : 0)
        if isFull {
            place?.logger.error(
                "the disk of '\(place?.path ?? "")' is full: until there is room, the server reads and deletes, and refuses other changes; free some space"
            )
        } else {
            place?.logger.notice("the disk of '\(place?.path ?? "")' has room again: the server accepts all changes")
        }
    }
}
