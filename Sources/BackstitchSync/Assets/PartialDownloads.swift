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

    /// How many bytes have come so far. More than `most` cannot be of that asset, and are forgotten.
    func size(of reference: AssetReference, atMost most: Int64) throws -> Int64 {
        let size =
            file(of: reference).map { FileCalls.size(of: $0.path) ?? 0 }
            ?? Int64(memory.withLock { $0[reference]?.count ?? 0 })
        if size <= most { return size }
        try remove(reference)
        return 0
    }

    /// The bytes that have come, as a storage takes them.
    func content(of reference: AssetReference) throws -> AssetContent {
        if let file = file(of: reference) { return .file(AssetFile(file, as: reference)) }
        return .data(memory.withLock { $0[reference] ?? Data() })
    }

    /// Adds bytes behind those that have come, unless there are more or fewer of them by now: another process may be at
    /// the same asset.
    ///
    /// - Returns: How many bytes there are now.
    func append(_ data: Data, to reference: AssetReference, at offset: Int64) throws -> Int64 {
        guard let folder, let file = file(of: reference) else {
            return memory.withLock { memory in
                if Int64(memory[reference]?.count ?? 0) == offset { memory[reference, default: Data()] += data }
                return Int64(memory[reference]?.count ?? 0)
            }
        }
        let open = try inFolder(folder) { try FileCalls.openToAppend(file.path, makes: true) }
        defer { open.close() }
        try open.lock()
        defer { open.unlock() }
        // A file that was taken over or removed meanwhile is no place for bytes.
        guard let size = try open.lengthAtPath() else { return 0 }
        guard size == offset else { return size }
        try open.write(data)
        return size + Int64(data.count)
    }

    /// A file for bytes that are made here of others, such as the plaintext of a download: `body` writes it anew, and
    /// ``remove(_:)`` removes it. Nil for a store in memory, which has no files.
    func makeFile(for reference: AssetReference, _ body: (OpenFile) throws -> Void) throws -> URL? {
        guard let folder, let file = file(of: reference) else { return nil }
        try FileCalls.remove(file.path)
        let open = try inFolder(folder) { try FileCalls.create(file.path) }
        defer { open.close() }
        do { try body(open) } catch {
            try remove(reference)
            throw error
        }
        return file
    }

    /// Opens a file in the folder, which others remove when nothing is in it.
    private func inFolder(_ folder: URL, _ open: () throws -> OpenFile?) throws -> OpenFile {
        for _ in 0..<5 {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            do { if let file = try open() { return file } } catch let error as SystemError where error.isMissing {}
        }
        throw BackstitchError(
            .asset, "\(folder.path) loses files while they are written; keep other programs out of it", key: folder.path
        )
    }

    /// Forgets what has come: it is whole and kept elsewhere, or worth nothing.
    func remove(_ reference: AssetReference) throws {
        guard let folder, let file = file(of: reference) else { return memory.withLock { $0[reference] = nil } }
        try FileCalls.remove(file.path)
        try FileCalls.removeEmptyFolder(folder.path)
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
        if left == 0 { try FileCalls.removeEmptyFolder(folder.path) }
    }

    private func file(of reference: AssetReference) -> URL? {
        // Checksums of other servers may hold any letters.
        folder?.appending(path: reference.text.utf8.hexadecimal)
    }

    private static let longestWait: Int64 = 7 * 86_400_000
}
