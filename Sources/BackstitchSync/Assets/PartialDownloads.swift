import Backstitch
import BackstitchSupport
import Foundation

/// Keeps the received bytes of unfinished downloads, so that they continue after an interruption or a restart. The
/// bytes are in files beside the store, or in memory for a store in memory.
final class PartialDownloads: Sendable {
    private let folder: URL?
    private let memory = Locked<[AssetReference: Data]>([:])

    /// - Parameter folder: Created for the first bytes, and removed when it is empty; nil for memory.
    init(_ folder: URL?) { self.folder = folder }

    /// Returns the number of bytes received so far. If it exceeds `most`, they belong to another asset and are removed.
    func size(of reference: AssetReference, atMost most: Int64) throws -> Int64 {
        let size =
            file(of: reference).map { FileCalls.size(of: $0.path) ?? 0 }
            ?? Int64(memory.withLock { $0[reference]?.count ?? 0 })
        if size <= most { return size }
        try remove(reference)
        return 0
    }

    /// Returns the received bytes, in the form that a storage accepts.
    func content(of reference: AssetReference) throws -> AssetContent {
        if let file = file(of: reference) { return .file(AssetFile(file, as: reference)) }
        return .data(memory.withLock { $0[reference] ?? Data() })
    }

    /// Appends bytes to the received ones if their number is still `offset`. Another process may be downloading the
    /// same asset.
    ///
    /// - Returns: The number of bytes after the call.
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
        // The file may have been moved or removed meanwhile; then nothing is written to it.
        guard let size = try open.lengthAtPath() else { return 0 }
        guard size == offset else { return size }
        try open.write(data)
        return size + Int64(data.count)
    }

    /// Writes a new file with derived bytes, such as the plaintext of a download. `body` writes the file, and
    /// ``remove(_:)`` removes it. Returns nil for a store in memory, which has no files.
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

    /// Opens a file in the folder. Other processes may remove the folder when it is empty.
    private func inFolder(_ folder: URL, _ open: () throws -> OpenFile?) throws -> OpenFile {
        for _ in 0..<5 {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            do { if let file = try open() { return file } } catch let error as SystemError where error.isMissing {}
        }
        throw BackstitchError(
            .asset, "files in \(folder.path) disappear while they are written; keep other programs out of that folder",
            key: folder.path
        )
    }

    /// Removes the received bytes: they are complete and stored elsewhere, or useless.
    func remove(_ reference: AssetReference) throws {
        guard let folder, let file = file(of: reference) else { return memory.withLock { $0[reference] = nil } }
        try FileCalls.remove(file.path)
        try FileCalls.removeEmptyFolder(folder.path)
    }

    /// Removes downloads that have received nothing for a week.
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
        // Checksums of other servers may contain any characters.
        folder?.appending(path: reference.text.utf8.hexadecimal)
    }

    private static let longestWait: Int64 = 7 * 86_400_000
}
