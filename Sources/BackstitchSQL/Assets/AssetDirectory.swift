package import Backstitch
package import Foundation

/// Assets as files below a folder, each under the name of its content.
///
/// A file appears under its name only when it is whole and on disk: it is written under a temporary name, synced,
/// renamed, and then its folder is synced. A crash leaves at most a temporary file, which the next opening removes.
/// Folders have mode 0700, files 0600. Several threads and processes may work in one folder.
package final class AssetDirectory: AssetStorage {
    private let folder: String
    private let temporaryFolder: String

    /// Assets below `folder`, which is made when the first is written.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` when the folder cannot be read or swept.
    ///
    /// - Parameter isReadOnly: Whether the folder shall stay as it is.
    package init(_ folder: URL, isReadOnly: Bool = false) throws {
        self.folder = folder.path
        temporaryFolder = self.folder + "/temporary"
        if !isReadOnly { try sweep() }
    }

    package func write(_ data: Data) throws -> AssetReference {
        let reference = AssetReference(contentOf: data)
        try store(data, as: reference)
        return reference
    }

    package func accept(_ data: Data, as reference: AssetReference) throws {
        guard reference.matches(data) else { throw BackstitchError.notContent(data, of: reference) }
        try store(data, as: reference)
    }

    /// The bytes of that name; nil when they are not here.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` when the file is damaged: its length, or its hash where the checksum is
    ///   of our form, is not the reference's.
    package func read(_ reference: AssetReference) throws -> Data? {
        let path = path(of: reference)
        guard let data = try FileCalls.contents(of: path) else { return nil }
        guard reference.matches(data) else {
            throw BackstitchError(
                .asset,
                "the file of asset \(reference.checksum) is damaged: \(path); remove it and fetch the asset again",
                key: reference.checksum)
        }
        return data
    }

    package func contains(_ reference: AssetReference) -> Bool {
        FileCalls.size(of: path(of: reference)) == reference.size
    }

    package func remove(_ reference: AssetReference) throws {
        try FileCalls.remove(path(of: reference))
    }
}

extension AssetDirectory {
    private func path(of reference: AssetReference) -> String {
        let (folders, name) = reference.fileName
        return ([folder] + folders + [name]).joined(separator: "/")
    }

    private func store(_ data: Data, as reference: AssetReference) throws {
        if contains(reference) { return }
        let (folders, name) = reference.fileName
        let levels = folders.reduce(into: [folder]) { $0.append($0[$0.count - 1] + "/" + $1) }
        try FileCalls.makeFolder(folder, withParents: true)
        try FileCalls.makeFolder(temporaryFolder)
        for level in levels.dropFirst() { try FileCalls.makeFolder(level) }
        let target = levels[levels.count - 1]
        // Another process that opens the folder may sweep the file away before it is locked; then it is written again.
        for _ in 0..<3 {
            if try place(data, at: "\(target)/\(name)") { return try FileCalls.syncFolder(target) }
        }
        throw BackstitchError(
            .asset, "\(temporaryFolder) loses files while they are written; keep other programs out of it", key: folder)
    }

    /// Writes a temporary file and renames it; false when somebody removed it in between.
    private func place(_ data: Data, at path: String) throws -> Bool {
        let temporary = "\(temporaryFolder)/\(UUID().uuidString)"
        guard let file = try FileCalls.create(temporary) else { return false }
        defer { file.close() }
        do {
            try file.lock()
            try file.write(data)
            try file.sync()
            return try FileCalls.rename(temporary, to: path)
        } catch {
            try? FileCalls.remove(temporary)
            throw error
        }
    }

    /// Removes what a crash left: temporary files that no live process holds a lock on.
    private func sweep() throws {
        for name in try FileCalls.names(in: temporaryFolder) {
            let path = temporaryFolder + "/" + name
            guard let file = FileCalls.open(path) else { continue }
            defer { file.close() }
            if file.tryLock() { try FileCalls.remove(path) }
        }
    }
}
