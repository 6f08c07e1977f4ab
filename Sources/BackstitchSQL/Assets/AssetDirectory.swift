package import Backstitch
import BackstitchSupport
package import Foundation

/// Assets as files below a folder. The name of each file is derived from its content.
///
/// The files of a store have a folder named after the store's identifier. Another store may be made at the same place
/// while the file of this one is away. It neither sees nor collects these files.
///
/// A file appears under its name only when it is whole and on disk; see ``ContentFolder``. A crash leaves at most
/// temporary files. The next opening removes them. Several threads and processes may work in one folder.
package final class AssetDirectory: AssetStorage {
    /// Shared by each task that is about to name content in this folder.
    package let content: AssetGuard
    let files: ContentFolder
    /// The folder to make, if it is missing, before the folder of the files.
    private let parent: String?

    /// Creates an asset store below `folder`. The folder is made when the first asset is written.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` when the folder cannot be read or swept.
    ///
    /// - Parameter owner: The identifier of the store that owns the assets; nil if all users of the folder share its
    ///   content.
    /// - Parameter isReadOnly: Whether the folder must stay unchanged. If not, temporary files are removed.
    package init(_ folder: URL, of owner: UUID? = nil, isReadOnly: Bool = false) throws {
        let own = owner.map { Self.folder(of: $0, in: folder) } ?? folder
        files = ContentFolder(own.path, drafts: "temporary")
        content = AssetGuard(folder: own.path)
        parent = owner == nil ? nil : folder.path
        if !isReadOnly { try BackstitchError.onFiles { try files.sweepDrafts() } }
    }

    package func reference(to data: Data) -> AssetReference { AssetReference(contentOf: data) }

    package func write(_ contents: AssetContents) throws {
        guard !contents.isEmpty else { return }
        try BackstitchError.onFiles {
            try makeFolder()
            try content.sharing { try files.write(contents.map { ($0.key.fileName, FileContent($0.value)) }) }
        }
    }

    package func accept(_ data: Data, as reference: AssetReference) throws {
        guard reference.matches(data) else { throw BackstitchError.notContent(data, of: reference) }
        try write([reference: .data(data)])
    }

    /// Renames the file if it is on the same file system, and copies it otherwise. The original is removed.
    package func adopt(_ file: URL, as reference: AssetReference) throws {
        try BackstitchError.onFiles {
            guard let open = FileCalls.open(file.path, followsLinks: false) else {
                throw SystemError.last("open", file.path)
            }
            defer { open.close() }
            let found = try AssetChecksum.reading(open)
            try reference.require(found.checksum, found.size)
            try open.sync()
            try makeFolder()
            do { try content.sharing { try files.adopt(file.path, as: reference.fileName) } } catch let error
                as SystemError
                where error.isOtherFileSystem
            {
                try write([reference: .file(AssetFile(file, as: reference))])
            }
            try FileCalls.remove(file.path)
        }
    }

    /// Makes the two folders, but no folder above them. If those are missing, the store was moved.
    private func makeFolder() throws {
        if let parent { try FileCalls.makeFolder(parent) }
        try FileCalls.makeFolder(files.path)
    }

    /// Reads the bytes of a reference; nil when they are not here.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` when the file is damaged: its length does not match the reference, or
    ///   its hash does not. The hash is checked only if the checksum has this project's form.
    package func read(_ reference: AssetReference) throws -> Data? {
        let name = reference.fileName
        guard let data = try BackstitchError.onFiles({ try files.contents(of: name) }) else { return nil }
        guard reference.matches(data) else {
            let path = files.path(of: name)
            throw BackstitchError(
                .asset,
                "the file of asset \(reference.checksum) is damaged: \(path); remove it and fetch the asset again",
                key: reference.checksum)
        }
        return data
    }

    package func read(_ reference: AssetReference, _ range: Range<Int64>) throws -> Data? {
        try BackstitchError.onFiles {
            guard contains(reference), let file = FileCalls.open(files.path(of: reference.fileName)) else { return nil }
            defer { file.close() }
            let part = range.clamped(to: 0..<reference.size)
            return try file.read(at: part.lowerBound, upTo: part.count)
        }
    }

    package func url(of reference: AssetReference) -> URL? {
        contains(reference) ? URL(filePath: files.path(of: reference.fileName)) : nil
    }

    package func contains(_ reference: AssetReference) -> Bool {
        files.size(of: reference.fileName) == reference.size
    }

    package func remove(_ reference: AssetReference) throws {
        try BackstitchError.onFiles { try files.remove(reference.fileName) }
    }
}
