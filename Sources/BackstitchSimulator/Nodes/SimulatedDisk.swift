import Backstitch
import BackstitchSQLite
import Foundation

/// What a device keeps when its process dies, and when its next write goes wrong.
///
/// The content is a real SQLite database, which stays open over the deaths of the processes that use it, so that a crash
/// costs nothing. Only for a program of another version it is closed and opened anew, for which it must be in a file.
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
    private let folder: URL?
    private let materials: Materials
    private var opened: (store: SQLiteStore, modelVersion: Int)?
    /// The version of the program that will open it next.
    var modelVersion = 1
    /// After how many writes the process dies, and at which moment of the last one.
    var armed: (writes: Int, moment: Moment)?
    /// Whether the process that has opened the disk is alive.
    private(set) var isAlive = false
    /// Told of the death, with the moment.
    var onDeath: (Moment) -> Void = { _ in }
    /// How often what it holds may have changed.
    private(set) var commits = 0

    init(folder: URL?, _ materials: Materials) {
        self.folder = folder
        self.materials = materials
    }

    /// Opens the content for a process.
    func open(_ configuration: StoreConfiguration) throws -> SQLiteStore {
        isAlive = true
        if let opened, opened.modelVersion == modelVersion { return opened.store }
        try opened?.store.close()
        commits += 1
        let configuration = StoreConfiguration(
            model: configuration.model, url: folder?.appendingPathComponent("store.sqlite"),
            options: configuration.options, clock: configuration.clock, generator: configuration.generator,
            keepsOutbox: true, changeHandler: { _ in })
        let store =
            try folder == nil
            ? materials.store(configuration, modelVersion: modelVersion) : SQLiteStore(configuration)
        opened = (store, modelVersion)
        return store
    }

    /// The process is gone. What is committed stays.
    func release() {
        isAlive = false
        armed = nil
    }

    /// Ends the disk's life.
    func destroy() throws {
        isAlive = false
        guard let opened else { return }
        self.opened = nil
        guard let folder else { return materials.take(opened.store, modelVersion: opened.modelVersion) }
        try opened.store.close()
        try FileManager.default.removeItem(at: folder)
    }

    /// Throws where the process is dead, or dies now.
    func pass(_ moment: Moment) throws {
        guard isAlive else { throw Death() }
        if moment == .afterCommit { commits += 1 }
        if let armed, armed.moment == moment {
            if armed.writes > 1 {
                self.armed?.writes -= 1
            } else {
                die(moment)
                throw Death()
            }
        }
    }

    private func die(_ moment: Moment) {
        isAlive = false
        armed = nil
        onDeath(moment)
    }
}
