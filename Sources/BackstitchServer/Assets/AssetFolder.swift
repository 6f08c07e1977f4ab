import BackstitchSupport
import Foundation

/// The files of assets: `<tenant>/<two digits>/<checksum>`, written under `incoming` first.
///
/// All calls block; they belong on a ``WorkRunner`` or a storage's writer.
struct AssetFolder: Sendable {
    private let files: ContentFolder
    private let isTemporary: Bool

    init(_ root: URL, isTemporary: Bool = false) throws {
        files = ContentFolder(root.path, drafts: "incoming")
        self.isTemporary = isTemporary
        try PrivateFolder.make(root)
        // A file that a stopped server had half received is of no use to anybody.
        let manager = FileManager.default
        if manager.fileExists(atPath: files.drafts) { try manager.removeItem(atPath: files.drafts) }
        try PrivateFolder.make(URL(fileURLWithPath: files.drafts))
    }

    func file(tenantID: Int64, _ checksum: AssetChecksum) -> URL {
        URL(fileURLWithPath: files.path(of: Self.name(tenantID, checksum)))
    }

    func incoming(_ name: String) -> URL { URL(fileURLWithPath: "\(files.drafts)/\(name)") }

    /// Gives a file that is complete and synchronised its place, and waits for the disk. The same content twice is one
    /// file.
    func adopt(_ file: URL, tenantID: Int64, _ checksum: AssetChecksum) throws {
        try PrivateFolder.refusingLinks { try files.adopt(file.path, as: Self.name(tenantID, checksum)) }
    }

    func has(tenantID: Int64, _ checksum: AssetChecksum) -> Bool { files.has(Self.name(tenantID, checksum)) }

    /// Removes a file; one that is gone already is no error.
    func remove(tenantID: Int64, _ checksum: AssetChecksum) throws { try files.remove(Self.name(tenantID, checksum)) }

    /// Removes files that the storage does not know: a server was stopped between their making and their commit.
    func removeStrays(isKnown: (Int64, AssetChecksum) throws -> Bool) throws {
        try files.forEachName(where: { level, name in level > 0 || Int64(name) != nil }) { name in
            let parts = name.split(separator: "/")
            guard let tenantID = Int64(parts[0]), let checksum = AssetChecksum(hexadecimal: parts[2]) else { return }
            if try !isKnown(tenantID, checksum) { try remove(tenantID: tenantID, checksum) }
        }
    }

    func removeIfTemporary() throws {
        if isTemporary { try FileManager.default.removeItem(atPath: files.path) }
    }

    private static func name(_ tenantID: Int64, _ checksum: AssetChecksum) -> String {
        let name = checksum.hexadecimal
        // The first byte is the same for all.
        return "\(tenantID)/\(name.dropFirst(2).prefix(2))/\(name)"
    }
}
