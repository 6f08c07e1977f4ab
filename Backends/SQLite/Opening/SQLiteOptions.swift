public import Backstitch

extension StoreType {
    /// The SQLite store: in the file of the description's URL, or in memory without one.
    public static let sqlite: StoreType = "SQLite"
}

extension StoreOption {
    /// How hard a save is pressed onto the disk: `"FULL"` survives a power cut, `"NORMAL"` may lose the last saves in
    /// one (never more, and never half a save), `"OFF"` may damage the file. Without it, stores that sync use `FULL`
    /// and others `NORMAL`.
    public static let sqliteSynchronous = StoreOption(rawValue: "sqliteSynchronous")
    /// How many threads can read at once; 5 without it.
    public static let sqliteMaximumReaderCount = StoreOption(rawValue: "sqliteMaximumReaderCount")
    /// For how many seconds a request waits while another process writes; 10 without it.
    public static let sqliteBusyTimeout = StoreOption(rawValue: "sqliteBusyTimeout")
    /// Whether the store tells at once what other processes save into its file, which takes a thread; true without it.
    public static let sqliteFollowsOtherProcesses = StoreOption(rawValue: "sqliteFollowsOtherProcesses")
    /// How much of the file each connection keeps in memory, in KiB; 8192 without it.
    public static let sqliteCacheSize = StoreOption(rawValue: "sqliteCacheSize")
}

/// The options of a SQLite store, read and with their defaults.
struct SQLiteOptions {
    enum Synchronous: String, CaseIterable {
        case off = "OFF"
        case normal = "NORMAL"
        case full = "FULL"
    }

    /// The statement that has a connection wait for the disk's platters where it waits for the disk: on Apple's systems
    /// fsync does not reach them. Elsewhere it means nothing.
    static let reachesPlatters = "PRAGMA fullfsync = ON"

    let synchronous: Synchronous
    let maximumReaderCount: Int
    let busyTimeout: Double
    let cacheSize: Int
    let followsOtherProcesses: Bool

    init(_ configuration: StoreConfiguration) {
        let options = configuration.options
        let asked = options.value(.sqliteSynchronous, as: String.self).flatMap(Synchronous.init(rawValue:))
        // Changes that were pushed to a server must not be forgotten here, so a synced store is durable unless told
        // otherwise.
        synchronous = asked ?? (configuration.keepsOutbox ? .full : .normal)
        maximumReaderCount = options.value(.sqliteMaximumReaderCount) ?? 5
        // SQLite counts milliseconds in 32 bits. Eleven days are for ever.
        busyTimeout = min(options.value(.sqliteBusyTimeout) ?? 10, 1_000_000)
        cacheSize = options.value(.sqliteCacheSize) ?? 8192
        followsOtherProcesses = options.value(.sqliteFollowsOtherProcesses) ?? true
    }

    static let specifications: [OptionSpecification] = [
        OptionSpecification(
            .sqliteSynchronous, .choice(Synchronous.allCases.map(\.rawValue)),
            "How hard a save is pressed onto the disk."),
        OptionSpecification(.sqliteMaximumReaderCount, .integer(1...64), "How many threads can read at once."),
        OptionSpecification(.sqliteBusyTimeout, .seconds, "How long a request waits while another process writes."),
        OptionSpecification(
            .sqliteFollowsOtherProcesses, .boolean,
            "Whether the store tells at once what other processes save into its file."),
        OptionSpecification(
            .sqliteCacheSize, .integer(64...4_194_304), "How many KiB of the file each connection keeps in memory."),
    ]
}
