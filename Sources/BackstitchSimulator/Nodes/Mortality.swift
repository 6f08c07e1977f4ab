import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSync
import Foundation

/// Whether a process on a disk lives, and at which of its writes it dies.
final class Mortality {
    /// A place within a write to the store at which a process can die.
    enum Moment: String, CaseIterable {
        /// Nothing has been written.
        case beforeWrite = "before a write"
        /// Everything has been written, but is not committed.
        case beforeCommit = "before a commit"
        /// The commit is done, and nobody has been told.
        case afterCommit = "after a commit"
    }

    /// The process has died; what it was doing ends here.
    struct Death: Error {}

    let disk: SimulatedDisk
    /// After how many writes the process dies, and at which moment of the last one.
    var armed: (writes: Int, moment: Moment)?
    /// Whether the process is alive.
    private(set) var isAlive = false
    /// Told of the death, with the moment.
    var onDeath: (Moment) -> Void = { _ in }

    init(_ disk: SimulatedDisk) { self.disk = disk }

    /// Opens the disk for a process that begins to live.
    func open(_ configuration: StoreConfiguration) throws -> SQLiteStore {
        isAlive = true
        return try disk.open(configuration)
    }

    /// The process is gone. Committed data stays.
    func release() {
        isAlive = false
        armed = nil
        if disk.isLed(by: self) { disk.dropLead() }
    }

    /// Throws where the process is dead, or dies now.
    func pass(_ moment: Moment) throws {
        guard isAlive else { throw Death() }
        if moment == .afterCommit { try disk.committed() }
        if let armed, armed.moment == moment {
            if armed.writes > 1 {
                self.armed?.writes -= 1
            } else {
                release()
                onDeath(moment)
                throw Death()
            }
        }
    }
}
