import GRDBSQLite

/// SQLite's index of the log, in memory that all processes with the file share
/// (https://www.sqlite.org/walformat.html#the_wal_index_file_format). To read it takes no call of the system.
struct LogIndex {
    /// The version of the index's format.
    private static let version: UInt32 = 3_007_000
    /// The bytes of a part of the index. This is the size that SQLite itself uses.
    private static let part: Int32 = 32_768

    /// The pages in the log.
    private let count: UInt32
    /// The pages of these that were moved into the file.
    private let moved: UInt32

    /// Reads the index of a connection that is in a writing transaction; nil for an unknown format.
    init?(of connection: OpaquePointer?) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection, nil, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap
        else { return nil }
        var index: UnsafeMutableRawPointer?
        guard map(file, 0, Self.part, 0, &index) == SQLITE_OK, let index,
            index.load(as: UInt32.self) == Self.version
        else { return nil }
        count = index.load(fromByteOffset: 16, as: UInt32.self)
        moved = index.load(fromByteOffset: 96, as: UInt32.self)
    }

    /// Whether the log has no page. The first write begins it.
    var isEmpty: Bool { count == 0 }

    /// Whether all pages of the log are in the file. The first write begins a new log in its place, unless others read
    /// the present one.
    var isMoved: Bool { moved == count }
}
