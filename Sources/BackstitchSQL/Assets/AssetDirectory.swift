package import Backstitch
package import Foundation

/// Assets as files below a folder, each under the name of its content.
///
/// A file appears under its name only when it is whole and on disk; see ``AssetBatch``. A crash leaves at most
/// temporary files, which the next opening removes. Folders have mode 0700, files 0600. Several threads and processes
/// may work in one folder.
package final class AssetDirectory: AssetStorage {
    /// Shared by everyone who is about to name content here.
    package let content: AssetGuard
    let folder: String
    private let temporaryFolder: String

    /// Assets below `folder`, which is made when the first is written.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` when the folder cannot be read or swept.
    ///
    /// - Parameter isReadOnly: Whether the folder shall stay as it is.
    package init(_ folder: URL, isReadOnly: Bool = false) throws {
        self.folder = folder.path
        temporaryFolder = self.folder + "/temporary"
        content = AssetGuard(folder: self.folder)
        if !isReadOnly { try sweep() }
    }

    package func reference(to data: Data) -> AssetReference { AssetReference(contentOf: data) }

    package func write(_ contents: AssetContents) throws {
        guard !contents.isEmpty else { return }
        try FileCalls.makeFolder(folder, withParents: true)
        try content.sharing {
            try AssetBatch(folder: folder, temporaryFolder: temporaryFolder).place(
                contents.map { (path(of: $0.key), $0.value) })
        }
    }

    package func accept(_ data: Data, as reference: AssetReference) throws {
        guard reference.matches(data) else { throw BackstitchError.notContent(data, of: reference) }
        try write([reference: data])
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
    func path(of reference: AssetReference) -> String {
        let (folders, name) = reference.fileName
        return ([folder] + folders + [name]).joined(separator: "/")
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
