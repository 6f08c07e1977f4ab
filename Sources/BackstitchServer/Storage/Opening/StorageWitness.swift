import Backstitch
import BackstitchSupport
import Dispatch
import Foundation
import Logging

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file `zones.witness` beside the database. It notes how many commits the storage has made.
///
/// If the database is behind it, or if it is missing, the database was replaced by an earlier state. Clients then know
/// of commits that the database has lost.
///
/// It is written after a commit is safe on the disk, so it is never ahead of the database. A thread of its own writes
/// it, at most every 50 ms. So it costs commits nothing, and may lag behind. An administrator who restores both files
/// together must say so (``ZoneServerConfiguration/isRestored``).
///
/// Two slots, each with a digest, are written in turn. If a loss of power damages one slot, the other one is still
/// whole.
final class StorageWitness: Sendable {
    private struct State {
        var latest: StorageLife?
        var isScheduled = false
        var slot = 0
    }

    private static let slotSize = 4096
    private static let pause = DispatchTimeInterval.milliseconds(50)

    /// The path of the file, for errors.
    private let path: String
    /// The open file; nil after it was closed.
    private let openFile: Locked<OpenFile?>
    private let logger: Logger
    private let queue = DispatchQueue(label: "backstitch.server.witness")
    private let state = Locked(State())

    /// Opens the witness of a storage, and makes it if it is missing.
    init(directory: URL, logger: Logger) throws {
        let file = try PrivateFolder.open(directory.appendingPathComponent("zones.witness"))
        path = file.path
        self.logger = logger
        openFile = Locked(file)
    }

    /// The last noted commit; nil if there is none, or none that can be read.
    func read() throws -> StorageLife? {
        var bytes = [UInt8](repeating: 0, count: 2 * Self.slotSize)
        let count = openFile.withLock { pread($0?.descriptor ?? -1, &bytes, bytes.count, 0) }
        guard count >= 0 else { throw SystemError.last("pread", path) }
        let lives = [0, Self.slotSize].compactMap { Self.life(bytes[$0..<min($0 + Self.length, bytes.count)]) }
        return lives.max { ($0.history, $0.commits) < ($1.history, $1.commits) }
    }

    /// Notes a commit that is safe on the disk. Does not wait.
    func note(_ life: StorageLife) {
        let mustSchedule = state.withLock { state in
            state.latest = life
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.asyncAfter(deadline: .now() + Self.pause) { self.writeLatest() } }
    }

    /// Writes the latest noted commit. An error is logged only, because the commit itself is safe.
    private func writeLatest() {
        let life = state.withLock { state in
            defer { state.latest = nil; state.isScheduled = false }
            return state.latest
        }
        guard let life else { return }
        do { try write(life) } catch {
            logger.error(
                "the progress of the storage cannot be written to its witness, so a restored backup may not be noticed: \(error)"
            )
        }
    }

    /// Writes a commit and waits for the disk.
    func write(_ life: StorageLife) throws {
        let slot = state.withLock { state in
            state.slot = 1 - state.slot
            return state.slot
        }
        let bytes = Self.bytes(of: life)
        let isWritten = openFile.withLock { file in
            // After closing nothing more is written.
            guard let file = file?.descriptor else { return true }
            return pwrite(file, bytes, bytes.count, off_t(slot * Self.slotSize)) == bytes.count && fsync(file) == 0
        }
        guard isWritten else { throw SystemError.last("write", path) }
    }

    deinit { closeFile() }

    /// Writes the latest noted commit, and closes the file. Call it after the last commit.
    func close() {
        queue.sync {
            writeLatest()
            closeFile()
        }
    }

    private func closeFile() {
        openFile.withLock { file in
            file?.close()
            file = nil
        }
    }

    // MARK: A slot

    private static let mark = Array("BsZw".utf8)
    /// The length of a slot's content: mark, history, commits, and the first bytes of a digest of these.
    private static let length = 4 + 8 + 8 + 8

    private static func bytes(of life: StorageLife) -> [UInt8] {
        let payload = mark + life.history.bigEndianBytes + life.commits.bigEndianBytes
        return payload + SHA256.hash(data: payload).prefix(8)
    }

    /// The age in a slot; nil if its digest is wrong.
    private static func life(_ slot: ArraySlice<UInt8>) -> StorageLife? {
        let bytes = Array(slot)
        let life = StorageLife(
            history: Int64(bigEndianBytes: bytes[4..<12]), commits: Int64(bigEndianBytes: bytes[12..<20]))
        return bytes == Self.bytes(of: life) ? life : nil
    }
}
