import BackstitchSupport
import Foundation

/// The files of which only a part has come: `partial/<user>/<content>`, see ``PartialName``.
///
/// Servers may share the folder. Whoever appends to a file or removes it holds the lock on it, which goes with its
/// process. Nothing is synchronised before a file is whole: a loss of power may leave less of it, or other bytes, and
/// then it has another checksum. All calls block; they belong on a ``WorkRunner``.
struct PartialFolder: Sendable {
    /// Somebody else appends to the file just now.
    struct IsBusy: Error {
        /// Bytes that were there.
        let size: Int64
    }

    /// A file as it was looked at.
    private struct Entry {
        var path: String
        var size: Int64
        /// When it was in use, in milliseconds since 1970.
        var used: Int64

        init?(_ path: String) {
            guard let stamp = FileCalls.stamp(of: path) else { return nil }
            self.path = path
            size = stamp[1]
            used = stamp[2] * 1000 + stamp[3] / 1_000_000
        }
    }

    /// How often a file is opened anew that others have removed between its opening and its lock.
    private static let attempts = 5

    let path: String

    /// How much of a file is there; 0 for one that is not.
    func size(of name: PartialName) throws -> Int64 {
        guard let file = try FileCalls.openToAppend(path(of: name), makes: false) else { return 0 }
        defer { file.close() }
        return try file.lengthAtPath() ?? 0
    }

    /// A file that is there, for the caller alone; nil when there is none.
    ///
    /// - Throws: ``IsBusy`` also.
    func open(_ name: PartialName) throws -> PartialFile? {
        for _ in 0..<Self.attempts {
            guard let file = try FileCalls.openToAppend(path(of: name), makes: false) else { return nil }
            if let partial = try take(file) { return partial }
        }
        throw IsBusy(size: 0)
    }

    /// A file, for the caller alone, made when there is none.
    ///
    /// - Throws: ``IsBusy`` also.
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

    /// Removes files of a user beside one, those first that were not in use for longest, until there are so many and
    /// they have so many bytes at most. Files that somebody appends to stay.
    ///
    /// - Returns: How many are left, and their bytes.
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

    /// Removes files that were not in use since a time.
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

    /// Removes a file unless somebody appends to it, or it is not to go any more; false then.
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

    /// The file, when its lock is free and it is still there.
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

    private func folder(of name: PartialName) -> String { "\(path)/\(name.user)" }

    private func path(of name: PartialName) -> String { "\(folder(of: name))/\(name.file)" }
}
