import Backstitch
import BackstitchSQLite
import Foundation

/// What a device keeps when its process dies, and when its next write goes wrong.
///
/// The content is a real SQLite database. In memory it stays open over the deaths of the processes that use it, so that
/// a crash costs nothing; in a file it is closed and opened anew.
final class SimulatedDisk {
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

    /// Where the file is; nil for memory.
    let folder: URL?
    private var store: SQLiteStore?
    /// After how many writes the process dies, and at which moment of the last one.
    var armed: (writes: Int, moment: Moment)?
    /// Whether the process that has opened the disk is alive.
    private(set) var isAlive = false
    /// Told of the death, with the moment.
    var onDeath: (Moment) -> Void = { _ in }
    /// Told of each commit.
    var onCommit: () -> Void = {}

    init(folder: URL?) { self.folder = folder }

    /// Opens the content for a process.
    func open(_ configuration: StoreConfiguration) throws -> SQLiteStore {
        isAlive = true
        if let store { return store }
        let store = try SQLiteStore(
            StoreConfiguration(
                model: configuration.model, url: folder?.appendingPathComponent("store.sqlite"),
                options: configuration.options, clock: configuration.clock, generator: configuration.generator,
                keepsOutbox: true, changeHandler: { _ in }))
        self.store = store
        return store
    }

    /// The process is gone. What is committed stays.
    func release() throws {
        isAlive = false
        armed = nil
        guard folder != nil else { return }
        try store?.close()
        store = nil
    }

    /// Ends the disk's life.
    func destroy() throws {
        isAlive = false
        try store?.close()
        store = nil
        if let folder { try FileManager.default.removeItem(at: folder) }
    }

    /// Throws where the process is dead, or dies now.
    func pass(_ moment: Moment) throws {
        guard isAlive else { throw Death() }
        if let armed, armed.moment == moment {
            if armed.writes > 1 {
                self.armed?.writes -= 1
            } else {
                die(moment)
                throw Death()
            }
        }
        if moment == .afterCommit { onCommit() }
    }

    private func die(_ moment: Moment) {
        isAlive = false
        armed = nil
        onDeath(moment)
    }
}
