import Backstitch
import BackstitchSupport
package import Foundation

extension AssetDirectory {
    /// Where the assets of a store lie in a folder.
    static func folder(of owner: UUID, in folder: URL) -> URL {
        folder.appendingPathComponent(owner.uuidString.lowercased(), isDirectory: true)
    }

    /// Whether a folder has assets of some store.
    package static func hasOwners(_ folder: URL) throws -> Bool {
        try BackstitchError.onFiles { try FileCalls.names(in: folder.path).contains { UUID(uuidString: $0) != nil } }
    }

    /// Removes the assets of a store from a folder, and the folder when nothing else is in it.
    ///
    /// - Parameter owner: The store; nil when it is not known, then no assets are removed.
    package static func remove(of owner: UUID?, in folder: URL) throws {
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        if let own = owner.map({ Self.folder(of: $0, in: folder) }), FileManager.default.fileExists(atPath: own.path) {
            try FileManager.default.removeItem(at: own)
        }
        try BackstitchError.onFiles { try FileCalls.removeEmptyFolder(folder.path) }
    }
}
