public import Backstitch

extension StoreType {
    /// The SQLite store: in the file of the description's URL, or in memory without a URL.
    public static let sqlite: StoreType = "SQLite"
}

extension StoreOption {
    /// How firmly a save is written to the disk. `"FULL"` survives a power cut. `"NORMAL"` may lose the last saves in
    /// one, but never part of a save. `"OFF"` may damage the file. The default is `FULL` for stores that sync, and
    /// `NORMAL` for others.
    public static let sqliteSynchronous = StoreOption(rawValue: "sqliteSynchronous")
    /// The number of threads that can read at the same time. The default is 5.
    public static let sqliteMaximumReaderCount = StoreOption(rawValue: "sqliteMaximumReaderCount")
    /// The seconds that a request waits while another process writes. The default is 10.
    public static let sqliteBusyTimeout = StoreOption(rawValue: "sqliteBusyTimeout")
    /// Whether the store reports other processes' saves in its file at once, which takes a thread. The default is true.
    public static let sqliteFollowsOtherProcesses = StoreOption(rawValue: "sqliteFollowsOtherProcesses")
    /// The part of the file that each connection keeps in memory, in KiB. The default is 8192.
    public static let sqliteCacheSize = StoreOption(rawValue: "sqliteCacheSize")
}

/// The options of a SQLite store, with defaults for missing ones.
struct SQLiteOptions {
    enum Synchronous: String, CaseIterable {
        case off = "OFF"
        case normal = "NORMAL"
        case full = "FULL"
    }

    /// The statement that makes each wait for the disk include its platters. On Apple's systems fsync does not reach
    /// them. On other systems it has no effect.
    static let reachesPlatters = "PRAGMA fullfsync = ON"

    let synchronous: Synchronous
    let maximumReaderCount: Int
    let busyTimeout: Double
    let cacheSize: Int
    let followsOtherProcesses: Bool

    init(_ configuration: StoreConfiguration) {
        let options = configuration.options
        let asked = options.value(.sqliteSynchronous, as: String.self).flatMap(Synchronous.init(rawValue:))
        // Changes that a server already has must not be lost here. So a synced store is durable unless the option says
        // otherwise.
        synchronous = asked ?? (configuration.keepsOutbox ? .full : .normal)
        maximumReaderCount = options.value(.sqliteMaximumReaderCount) ?? 5
        // SQLite counts milliseconds in 32 bits, so the limit is eleven days.
        busyTimeout = min(options.value(.sqliteBusyTimeout) ?? 10, 1_000_000)
        cacheSize = options.value(.sqliteCacheSize) ?? 8192
        followsOtherProcesses = options.value(.sqliteFollowsOtherProcesses) ?? true
    }

    static let specifications: [OptionSpecification] = [
        OptionSpecification(
            .sqliteSynchronous, .choice(Synchronous.allCases.map(\.rawValue)),
            "How safely a save is written to the disk."),
        OptionSpecification(.sqliteMaximumReaderCount, .integer(1...64), "How many threads can read at once."),
        OptionSpecification(.sqliteBusyTimeout, .seconds, "How long a request waits while another process writes."),
        OptionSpecification(
            .sqliteFollowsOtherProcesses, .boolean,
            "Whether the store reports saves of other processes at once."),
        OptionSpecification(
            .sqliteCacheSize, .integer(64...4_194_304), "How many KiB of the file each connection keeps in memory."),
    ]
}
