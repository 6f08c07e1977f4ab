import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSync
import Foundation

/// The part of devices that stays when processes die: the content of a store, and which process leads.
///
/// The content is a real SQLite database, which stays open over the deaths of the processes that use it, so that a
/// crash costs nothing. Only for a program of another version it is closed and opened anew, for which it must be in a
/// file.
final class SimulatedDisk {
    /// Of whom the checkers tell what is promised in it.
    let name: String
    /// Where the file is; nil for memory.
    private let folder: URL?
    private let materials: Materials
    private var opened: (store: SQLiteStore, modelVersion: Int)?
    /// The version of the program that will open it next.
    var modelVersion = 1
    /// Whether several processes have it open.
    var isShared = false
    /// How often what it holds may have changed.
    private(set) var commits = 0
    /// States to which a power cut may bring it back; nil where it loses nothing that was committed.
    private let unsynced: UnsyncedStates?
    /// The last commits of some kinds, by their names.
    private(set) var marks: [String: Int] = [:]
    /// When the last pull began that has come to its end, by the world's time.
    var pulled: Int64 = 0
    /// Whether it has a store of the public database.
    var isPublic = false
    /// The life that holds the lock by which one process syncs.
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

    /// The content was committed once more.
    func committed() throws {
        commits += 1
        if let unsynced, let opened { try unsynced.committed(commits, of: opened.store) }
    }

    /// All that was committed is on the disk.
    func sync() throws {
        if let unsynced, let opened { try unsynced.sync(commits, of: opened.store) }
    }

    /// The last commit was one of this kind.
    func mark(_ name: String) { marks[name] = commits }

    /// The power is cut, when no process lives any more. Gives the last commit that is left.
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

    /// Gives the lock to a process unless another one that lives has it.
    func takeLead(_ process: Mortality) -> Bool {
        if let leader, leader !== process, leader.isAlive { return false }
        leader = process
        return true
    }

    /// Whether a process holds the lock.
    func isLed(by process: Mortality) -> Bool { leader === process }

    /// The lock is free, whoever had it, as when the connection breaks that holds it.
    func dropLead() { leader = nil }

    /// Ends the disk's life.
    func destroy() throws {
        guard let opened else { return }
        self.opened = nil
        unsynced?.clear()
        guard let folder else { return materials.take(opened.store, modelVersion: opened.modelVersion) }
        try opened.store.close()
        try FileManager.default.removeItem(at: folder)
    }
}
