import Backstitch
import BackstitchSupport
import Foundation

/// Keeps what has come of downloads that are not whole yet, so that they go on from there after an interruption or a
/// restart: in files beside the store, or in memory for a store that is there.
final class PartialDownloads: Sendable {
    private let folder: URL?
    private let memory = Locked<[AssetReference: Data]>([:])

    /// - Parameter folder: Made when something is kept, and removed when nothing is left; nil for memory.
    init(_ folder: URL?) { self.folder = folder }

    /// Returns the bytes that have come so far.
    func bytes(of reference: AssetReference) throws -> Data {
        guard let file = file(of: reference) else { return memory.withLock { $0[reference] ?? Data() } }
        guard FileManager.default.fileExists(atPath: file.path) else { return Data() }
        return try Data(contentsOf: file)
    }

    /// Adds what has come behind that.
    func append(_ data: Data, to reference: AssetReference) throws {
        guard let folder, let file = file(of: reference) else {
            return memory.withLock { $0[reference, default: Data()] += data }
        }
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if !FileManager.default.fileExists(atPath: file.path) {
            guard
                FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw BackstitchError(.asset, "the file \(file.path) of a download cannot be made") }
        }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: data)
    }

    /// Forgets what has come: it is whole and kept elsewhere, or worth nothing.
    func remove(_ reference: AssetReference) throws {
        guard let folder, let file = file(of: reference) else { return memory.withLock { $0[reference] = nil } }
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        try FileManager.default.removeItem(at: file)
        if try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty {
            try FileManager.default.removeItem(at: folder)
        }
    }

    /// Forgets downloads that nobody has gone on with for a week.
    func sweep(at time: Int64) throws {
        guard let folder, FileManager.default.fileExists(atPath: folder.path) else { return }
        let limit = Date(milliseconds: time - Self.longestWait)
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: [.contentModificationDateKey])
        var left = files.count
        for file in files {
            let date = try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
            guard let date, date < limit else { continue }
            try FileManager.default.removeItem(at: file)
            left -= 1
        }
        if left == 0 { try FileManager.default.removeItem(at: folder) }
    }

    private func file(of reference: AssetReference) -> URL? {
        // Checksums of other servers may hold any letters.
        folder?.appending(path: reference.text.utf8.hexadecimal)
    }

    private static let longestWait: Int64 = 7 * 86_400_000
}
