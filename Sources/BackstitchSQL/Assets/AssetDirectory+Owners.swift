import Backstitch
import BackstitchSupport
package import Foundation

extension AssetDirectory {
    /// The subfolder with the assets of one store: the store's identifier in lower case.
    static func folder(of owner: UUID, in folder: URL) -> URL {
        folder.appendingPathComponent(owner.uuidString.lowercased(), isDirectory: true)
    }

    /// Whether a folder has assets of any store.
    package static func hasOwners(_ folder: URL) throws -> Bool {
        try BackstitchError.onFiles { try FileCalls.names(in: folder.path).contains { UUID(uuidString: $0) != nil } }
    }

    /// Removes the assets of a store from a folder. The folder is removed too if it is then empty.
    ///
    /// - Parameter owner: The store. If it is nil because the store is unknown, no assets are removed.
    package static func remove(of owner: UUID?, in folder: URL) throws {
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        if let own = owner.map({ Self.folder(of: $0, in: folder) }), FileManager.default.fileExists(atPath: own.path) {
            try FileManager.default.removeItem(at: own)
        }
        try BackstitchError.onFiles { try FileCalls.removeEmptyFolder(folder.path) }
    }
}
