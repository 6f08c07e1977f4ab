import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The files of assets: `<tenant>/<two digits>/<checksum>`, written under `incoming` first.
///
/// All calls block; they belong on a ``WorkRunner`` or a storage's writer.
struct AssetFolder: Sendable {
    let root: URL
    private let isTemporary: Bool

    init(_ root: URL, isTemporary: Bool = false) throws {
        self.root = root
        self.isTemporary = isTemporary
        try PrivateFolder.make(root)
        // A file that a stopped server had half received is of no use to anybody.
        let incoming = root.appendingPathComponent("incoming")
        if FileManager.default.fileExists(atPath: incoming.path) { try FileManager.default.removeItem(at: incoming) }
        try PrivateFolder.make(incoming)
    }

    func file(tenantID: Int64, _ checksum: AssetChecksum) -> URL {
        let name = checksum.hexadecimal
        // The first byte is the same for all.
        return root.appendingPathComponent("\(tenantID)/\(name.dropFirst(2).prefix(2))/\(name)")
    }

    func incoming(_ name: String) -> URL {
        root.appendingPathComponent("incoming/\(name)")
    }

    /// Gives a file that is complete and synchronised its place, and waits for the disk. The same content twice is one
    /// file.
    func adopt(_ file: URL, tenantID: Int64, _ checksum: AssetChecksum) throws {
        let place = self.file(tenantID: tenantID, checksum)
        let folder = place.deletingLastPathComponent()
        let tenantFolder = folder.deletingLastPathComponent()
        let isNew = !FileManager.default.fileExists(atPath: folder.path)
        if isNew {
            try PrivateFolder.make(tenantFolder)
            try PrivateFolder.make(folder)
        }
        // By a second name where the file system has such: who has the file may have to give it its place once more.
        let second = file.path + "-second"
        let moved = link(file.path, second) == 0 ? second : file.path
        defer { if moved == second { unlink(second) } }
        guard rename(moved, place.path) == 0 else { throw SystemError.last("rename", file.path) }
        try PrivateFolder.synchronize(folder)
        if isNew {
            try PrivateFolder.synchronize(tenantFolder)
            try PrivateFolder.synchronize(root)
        }
    }

    func has(tenantID: Int64, _ checksum: AssetChecksum) -> Bool {
        access(file(tenantID: tenantID, checksum).path, F_OK) == 0
    }

    /// Removes a file; one that is gone already is no error.
    func remove(tenantID: Int64, _ checksum: AssetChecksum) throws {
        let place = file(tenantID: tenantID, checksum)
        guard unlink(place.path) == 0 || errno == ENOENT else { throw SystemError.last("unlink", place.path) }
    }

    /// Removes files that the storage does not know: a server was stopped between their making and their commit.
    func removeStrays(isKnown: (Int64, AssetChecksum) throws -> Bool) throws {
        let manager = FileManager.default
        for tenant in try manager.contentsOfDirectory(atPath: root.path) {
            guard let tenantID = Int64(tenant) else { continue }
            let folder = root.appendingPathComponent(tenant)
            for shelf in try manager.contentsOfDirectory(atPath: folder.path) {
                for name in try manager.contentsOfDirectory(atPath: folder.appendingPathComponent(shelf).path) {
                    guard let checksum = AssetChecksum(hexadecimal: name) else { continue }
                    if try !isKnown(tenantID, checksum) { try remove(tenantID: tenantID, checksum) }
                }
            }
        }
    }

    func removeIfTemporary() throws {
        if isTemporary { try FileManager.default.removeItem(at: root) }
    }
}
