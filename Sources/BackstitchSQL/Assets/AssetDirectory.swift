package import Backstitch
import BackstitchSupport
package import Foundation

/// Assets as files below a folder, each under the name of its content.
///
/// A file appears under its name only when it is whole and on disk; see ``ContentFolder``. A crash leaves at most
/// temporary files, which the next opening removes. Several threads and processes may work in one folder.
package final class AssetDirectory: AssetStorage {
    /// Shared by everyone who is about to name content here.
    package let content: AssetGuard
    let files: ContentFolder

    /// Assets below `folder`, which is made when the first is written.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` when the folder cannot be read or swept.
    ///
    /// - Parameter isReadOnly: Whether the folder shall stay as it is.
    package init(_ folder: URL, isReadOnly: Bool = false) throws {
        files = ContentFolder(folder.path, drafts: "temporary")
        content = AssetGuard(folder: folder.path)
        if !isReadOnly { try BackstitchError.onFiles { try files.sweepDrafts() } }
    }

    package func reference(to data: Data) -> AssetReference { AssetReference(contentOf: data) }

    package func write(_ contents: AssetContents) throws {
        guard !contents.isEmpty else { return }
        try BackstitchError.onFiles {
            try FileCalls.makeFolder(files.path, withParents: true)
            try content.sharing { try files.write(contents.map { ($0.key.fileName, $0.value) }) }
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

    package func contains(_ reference: AssetReference) -> Bool {
        files.size(of: reference.fileName) == reference.size
    }

    package func remove(_ reference: AssetReference) throws {
        try BackstitchError.onFiles { try files.remove(reference.fileName) }
    }
}
