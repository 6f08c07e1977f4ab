import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSync
import Foundation

/// The lasting part of devices: the content of a store, and its leading process.
///
/// The content is a real SQLite database. It stays open when its processes die, so that a crash costs nothing. Only for
/// a program of another version is it closed and opened anew; for that it must be in a file.
final class SimulatedDisk {
    /// The name under which the checkers note the promises of this disk.
    let name: String
    /// The folder of the file; nil for memory.
    private let folder: URL?
    private let materials: Materials
    private var opened: (store: SQLiteStore, modelVersion: Int)?
    /// The model version of the next program that opens it.
    var modelVersion = 1
    /// Whether several processes have it open.
    var isShared = false
    /// How often its content may have changed.
    private(set) var commits = 0
    /// Earlier states for power cuts; nil if a power cut loses nothing that was committed.
    private let unsynced: UnsyncedStates?
    /// The last commits of some kinds, by their names.
    private(set) var marks: [String: Int] = [:]
    /// The start of the last pull that has ended, by the world's time.
    var pulled: Int64 = 0
    /// Whether it has a store of the public database.
    var isPublic = false
    /// The process that holds the sync lock.
    private weak var leader: Mortality?

    init(_ name: String, folder: URL?, _ materials: Materials, unsynced: UnsyncedStates? = nil) {
        self.name = name
        self.folder = folder
        self.materials = materials
        self.unsynced = unsynced
    }

    /// Opens the content for a process.
    func open(_ configuration: StoreConfiguration) throws -> SQLiteStore {
        if let opened, opened.modelVersion == modelVersion { return opened.store }
        try opened?.store.close()
        unsynced?.clear()
        commits += 1
        if let folder { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
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

    /// Counts a commit of the content, and may keep its state for a power cut.
    func committed() throws {
        commits += 1
        if let unsynced, let opened { try unsynced.committed(commits, of: opened.store) }
    }

    /// Notes that all commits are safely on the disk.
    func sync() throws {
        if let unsynced, let opened { try unsynced.sync(commits, of: opened.store) }
    }

    /// Notes the kind of the last commit.
    func mark(_ name: String) { marks[name] = commits }

    /// Cuts the power, when no process lives any more. Returns the last commit that is left.
    func losePower() throws -> Int {
        let last = commits
        guard let opened, let (commit, state) = unsynced?.chosen() else {
            unsynced?.clear()
            return last
        }
        try opened.store.goBack(to: state)
        unsynced?.clear()
        commits += 1
        marks = marks.filter { $0.value <= commit }
        return commit
    }

    /// The change token in the content, whether or not a process lives.
    var token: String? {
        get throws {
            try opened?.store.readJournal { journal in
                if isPublic { return try journal.followedFeedToken() }
                // A guest's store has nothing in its main zone.
                return try journal.changeToken(
                    ofZone: journal.readOnlyZones().contains(0) ? journal.zones().keys.min() ?? 0 : 0)
            }
        }
    }

    /// Gives the lock to a process, unless another living process has it.
    func takeLead(_ process: Mortality) -> Bool {
        if let leader, leader !== process, leader.isAlive { return false }
        leader = process
        return true
    }

    /// Whether a process holds the lock.
    func isLed(by process: Mortality) -> Bool { leader === process }

    /// Frees the lock, as when the connection that holds it breaks.
    func dropLead() { leader = nil }

    /// Closes the disk and removes or recycles its content.
    func destroy() throws {
        guard let opened else { return }
        self.opened = nil
        unsynced?.clear()
        guard let folder else { return materials.take(opened.store, modelVersion: opened.modelVersion) }
        try opened.store.close()
        try FileManager.default.removeItem(at: folder)
    }
}
