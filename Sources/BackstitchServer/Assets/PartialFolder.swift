import BackstitchSupport
import Foundation

/// The files of incomplete uploads: `partial/<user>/<content>`; see ``PartialName``.
///
/// Servers may share the folder. Appending to a file or removing it needs the lock on it. A lock ends with its process.
///
/// Nothing is synchronised before a file is complete. After a loss of power, bytes may be missing or wrong, and then
/// the checksum differs. All calls block, so they run on a ``WorkRunner``.
struct PartialFolder: Sendable {
    /// The error for a file in use: another request is appending to it.
    struct IsBusy: Error {
        /// The number of bytes in the file at that time.
        let size: Int64
    }

    /// A file with its size and its last use.
    private struct Entry {
        var path: String
        var size: Int64
        /// The time of the last use, in milliseconds since 1970.
        var used: Int64

        init?(_ path: String) {
            guard let stamp = FileCalls.stamp(of: path) else { return nil }
            self.path = path
            size = stamp[1]
            used = stamp[2] * 1000 + stamp[3] / 1_000_000
        }
    }

    /// The maximum number of attempts to open a file, if others remove it between its opening and its lock.
    private static let attempts = 5

    let path: String

    /// The number of bytes of a file received so far; 0 if there is no file.
    func size(of name: PartialName) throws -> Int64 {
        guard let file = try FileCalls.openToAppend(path(of: name), makes: false) else { return 0 }
        defer { file.close() }
        return try file.lengthAtPath() ?? 0
    }

    /// Opens an existing file for the caller alone; nil if there is none.
    ///
    /// - Throws: ``IsBusy`` if another request has the file.
    func open(_ name: PartialName) throws -> PartialFile? {
        for _ in 0..<Self.attempts {
            guard let file = try FileCalls.openToAppend(path(of: name), makes: false) else { return nil }
            if let partial = try take(file) { return partial }
        }
        throw IsBusy(size: 0)
    }

    /// Opens a file for the caller alone, and makes it if it is missing.
    ///
    /// - Throws: ``IsBusy`` if another request has the file.
    func openOrMake(_ name: PartialName) throws -> PartialFile {
        for _ in 0..<Self.attempts {
            guard let file = try FileCalls.openToAppend(path(of: name), makes: true) else {
                for folder in [path, folder(of: name)] { try PrivateFolder.make(URL(fileURLWithPath: folder)) }
                continue
            }
            if let partial = try take(file) { return partial }
        }
        throw IsBusy(size: 0)
    }

    /// Removes other files of the same user, the least recently used first, down to a number of files and bytes.
    ///
    /// Files in use by another request stay.
    ///
    /// - Returns: The number and the bytes of the other files that are left.
    func makeRoom(beside name: PartialName, files: Int, bytes: Int64) throws -> (files: Int, bytes: Int64) {
        let folder = folder(of: name)
        let others = try FileCalls.names(in: folder).filter { $0 != name.file }.compactMap { Entry("\(folder)/\($0)") }
            .sorted { ($0.used, $0.path) < ($1.used, $1.path) }
        var left = (files: others.count, bytes: others.reduce(0) { $0 + $1.size })
        for other in others where left.files > files || left.bytes > bytes {
            guard try remove(other.path) else { continue }
            left = (left.files - 1, left.bytes - other.size)
        }
        return left
    }

    /// Removes files that were not used since a time.
    func removeAll(unusedSince time: Int64) throws {
        for user in try FileCalls.names(in: path) {
            let folder = "\(path)/\(user)"
            for name in try FileCalls.names(in: folder) {
                guard let entry = Entry("\(folder)/\(name)"), entry.used < time else { continue }
                _ = try remove(entry.path) { Entry(entry.path)?.used == entry.used }
            }
            try FileCalls.removeEmptyFolder(folder)
        }
    }

    /// Removes a file; false if a request is appending to it, or if `mayGo` no longer allows it.
    private func remove(_ path: String, if mayGo: () -> Bool = { true }) throws -> Bool {
        guard let file = try FileCalls.openToAppend(path, makes: false) else { return true }
        guard file.tryLock() else {
            file.close()
            return false
        }
        let partial = PartialFile(file, size: 0)
        guard mayGo() else {
            partial.close()
            return false
        }
        try partial.discard()
        return true
    }

    /// The file for the caller alone, if its lock is free; nil if the file was removed in the meantime.
    private func take(_ file: OpenFile) throws -> PartialFile? {
        do {
            guard file.tryLock() else {
                let failure = SystemError.last("flock", file.path, to: "lock")
                guard failure.number == EWOULDBLOCK || failure.number == EINTR else { throw failure }
                throw IsBusy(size: try file.lengthAtPath() ?? 0)
            }
            if let size = try file.lengthAtPath() { return PartialFile(file, size: size) }
        } catch {
            file.close()
            throw error
        }
        file.unlock()
        file.close()
        return nil
    }

    /// The folder of a user.
    private func folder(of name: PartialName) -> String { "\(path)/\(name.user)" }

    /// The path of a file.
    private func path(of name: PartialName) -> String { "\(folder(of: name))/\(name.file)" }
}
