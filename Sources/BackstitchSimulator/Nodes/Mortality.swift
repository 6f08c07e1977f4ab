import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSync
import Foundation

/// Whether a process on a disk lives, and at which of its writes it dies.
final class Mortality {
    /// A place within a write to the store at which a process can die.
    enum Moment: String, CaseIterable {
        /// Before anything has been written.
        case beforeWrite = "before a write"
        /// After everything has been written, and before the commit.
        case beforeCommit = "before a commit"
        /// After the commit, and before the caller learns of it.
        case afterCommit = "after a commit"
    }

    /// Thrown when the process has died, so that its present work ends.
    struct Death: Error {}

    let disk: SimulatedDisk
    /// The number of writes after which the process dies, and the moment within the last one.
    var armed: (writes: Int, moment: Moment)?
    /// Whether the process is alive.
    private(set) var isAlive = false
    /// Called at the death, with its moment.
    var onDeath: (Moment) -> Void = { _ in }

    init(_ disk: SimulatedDisk) { self.disk = disk }

    /// Opens the disk for a process that starts.
    func open(_ configuration: StoreConfiguration) throws -> SQLiteStore {
        isAlive = true
        return try disk.open(configuration)
    }

    /// Ends the process. Committed data stays.
    func release() {
        isAlive = false
        armed = nil
        if disk.isLed(by: self) { disk.dropLead() }
    }

    /// Throws ``Death`` if the process is dead, or dies at this moment.
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
