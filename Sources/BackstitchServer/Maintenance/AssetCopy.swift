import BackstitchSupport
import Foundation

/// Copies contents of assets from one folder to another. Each is copied once, and its checksum is compared with its
/// name.
struct AssetCopy {
    private let source: AssetFolder
    private let target: AssetFolder
    private var done: Set<AssetName> = []
    private var missing: [AssetName: String] = [:]

    /// - Parameter folder: The folder of a backup.
    init(from source: AssetFolder, to folder: URL) throws {
        self.init(from: source, to: try AssetFolder(folder.appending(path: "assets")))
    }

    init(from source: AssetFolder, to target: AssetFolder) {
        self.source = source
        self.target = target
    }

    /// Copies the contents not copied yet. A missing one may no longer be needed; ``requireAll()`` tells.
    ///
    /// - Throws: ``ZoneServerError`` for content with other bytes than its name says.
    mutating func copy(_ assets: [StorageMaintenance.UsedAsset]) throws {
        missing = [:]
        for asset in assets where !done.contains(asset.name) {
            let file = source.file(asset.name).path
            guard FileCalls.size(of: file) != nil else {
                missing[asset.name] = asset.place
                continue
            }
            let draft = target.incoming("copy")
            try FileCalls.remove(draft.path)
            let checksum = try AssetChecksum(FileDigest.copying(file, to: draft.path))
            guard checksum == asset.name.checksum else {
                throw ZoneServerError(
                    .storageFormat,
                    "the content '\(file)' of \(asset.place) is damaged: its bytes do not match its name")
            }
            try target.adopt(draft, as: asset.name)
            try FileCalls.remove(draft.path)
            done.insert(asset.name)
        }
    }

    /// Requires that the last copy found all contents.
    ///
    /// - Throws: ``ZoneServerError`` with the place of one missing content.
    func requireAll() throws {
        guard let first = missing.values.min() else { return }
        throw ZoneServerError(
            .storageFormat,
            "\(missing.count) contents of assets that records use are missing, such as \(first); `admin verify` lists them"
        )
    }
}
