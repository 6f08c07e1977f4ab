import Foundation

/// A place with copies of a store's file and of its log.
struct LogPlace {
    let file: URL

    init(_ fixture: StoreFixture) {
        file = fixture.folder.appending(path: "place.sqlite")
    }

    private var log: URL { Self.log(of: file) }

    /// The log beside a file.
    static func log(of file: URL) -> URL { URL(filePath: file.path + "-wal") }

    /// Puts copies here: of a file, and of the log beside another one.
    func copy(file source: URL, logOf other: URL) throws {
        try write(file: Data(contentsOf: source), log: Data(contentsOf: Self.log(of: other)))
    }

    /// Replaces the files here.
    func write(file content: Data, log: Data) throws {
        try? FileManager.default.removeItem(atPath: file.path + "-shm")
        try content.write(to: file)
        try log.write(to: self.log)
    }

    /// Moves the log to another folder.
    func moveLog(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: log, to: folder.appending(path: log.lastPathComponent))
    }

    /// The contents of the file and of the log.
    func contents() throws -> [Data] { try [file, log].map { try Data(contentsOf: $0) } }
}
