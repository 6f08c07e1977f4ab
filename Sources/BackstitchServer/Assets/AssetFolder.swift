import BackstitchSupport
import Foundation

/// The folder with the files of assets: `<tenant>/<two digits>/<checksum>`.
///
/// A file is first written under `incoming`, or under `partial` if its upload can be interrupted and continued. All
/// calls block, so they run on a ``WorkRunner`` or on a storage's writer.
struct AssetFolder: Sendable {
    private let files: ContentFolder
    /// Whether the folder is removed with this server. Then no other server uses it.
    let isTemporary: Bool
    /// Whether other servers use the folder as well.
    let isShared: Bool
    /// The files of incomplete uploads. They survive a restart, and servers that share the folder share them.
    let partials: PartialFolder

    private static let drafts = "incoming"
    private static let partials = "partial"

    /// Opens the folder of a single server, and removes its old drafts.
    init(_ root: URL, isTemporary: Bool = false) throws {
        try self.init(root, drafts: Self.drafts, isTemporary: isTemporary, isShared: false)
    }

    /// Opens a folder that other servers use as well. Their drafts are not touched.
    init(_ root: URL, sharedBy random: any ServerRandom) throws {
        let number = UInt64(bitPattern: random.identifier())
        try self.init(
            root, drafts: "\(Self.drafts)-\(String(number, radix: 16))", isTemporary: false, isShared: true)
    }

    /// Opens a folder of other servers for reading. Nothing is made or removed.
    init(existing root: URL) {
        files = ContentFolder(root.path, drafts: Self.drafts)
        partials = PartialFolder(path: files.path(of: Self.partials))
        isTemporary = false
        isShared = true
    }

    private init(_ root: URL, drafts: String, isTemporary: Bool, isShared: Bool) throws {
        files = ContentFolder(root.path, drafts: drafts)
        partials = PartialFolder(path: files.path(of: Self.partials))
        self.isTemporary = isTemporary
        self.isShared = isShared
        try PrivateFolder.make(root)
        // A file half received by a stopped server is useless.
        let manager = FileManager.default
        if manager.fileExists(atPath: files.drafts) { try manager.removeItem(atPath: files.drafts) }
        try PrivateFolder.make(URL(fileURLWithPath: files.drafts))
        try PrivateFolder.make(URL(fileURLWithPath: partials.path))
    }

    /// The file with some content.
    func file(_ name: AssetName) -> URL { URL(fileURLWithPath: files.path(of: name.path)) }

    /// The file of a new draft.
    func incoming(_ name: String) -> URL { URL(fileURLWithPath: "\(files.drafts)/\(name)") }

    /// Moves a complete and synchronised file to its place, and waits for the disk. Equal content is stored once.
    func adopt(_ file: URL, as name: AssetName) throws {
        try PrivateFolder.refusingLinks { try files.adopt(file.path, as: name.path) }
    }

    func has(_ name: AssetName) -> Bool { files.has(name.path) }

    /// Removes a file. A missing file is not an error.
    func remove(_ name: AssetName) throws { try files.remove(name.path) }

    /// Removes files without a row. They come from servers that were stopped between making a file and the commit.
    func removeStrays(isKnown: (Int64, AssetChecksum) throws -> Bool) throws {
        try files.forEachName(where: { level, name in level > 0 || Int64(name) != nil }) { name in
            guard let name = AssetName(path: name) else { return }
            if try !isKnown(name.tenantID, name.checksum) { try remove(name) }
        }
    }

    /// Calls `body` with each name of content in the folder.
    func forEachName(_ body: (AssetName) throws -> Void) throws {
        try files.forEachName(where: { level, name in level > 0 || Int64(name) != nil }) { path in
            if let name = AssetName(path: path) { try body(name) }
        }
    }

    /// The names of content older than a time.
    func names(olderThan limit: Date) throws -> [AssetName] {
        var names: [AssetName] = []
        try files.forEachName(where: { level, name in level > 0 || Int64(name) != nil }) { path in
            guard let name = AssetName(path: path), Self.isOlder(file(name), than: limit) else { return }
            names.append(name)
        }
        return names
    }

    /// Removes drafts of other servers that are older than a time. Those servers have stopped.
    func removeDrafts(olderThan limit: Date) throws {
        for name in try FileCalls.names(in: files.path) where name.hasPrefix("\(Self.drafts)-") {
            let folder = "\(files.path)/\(name)"
            guard folder != files.drafts else { continue }
            for draft in try FileCalls.names(in: folder) {
                let path = "\(folder)/\(draft)"
                if Self.isOlder(URL(fileURLWithPath: path), than: limit) { try FileCalls.remove(path) }
            }
            // An empty folder stays, because its server may be waiting for its first upload.
        }
    }

    /// Whether a file is older than a time; false if another server has just removed it.
    private static func isOlder(_ file: URL, than limit: Date) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes?[.modificationDate] as? Date).map { $0 < limit } ?? false
    }

    /// Whether the folder has any content.
    func hasContent() throws -> Bool { try FileCalls.names(in: files.path).contains { Int64($0) != nil } }

    /// The free bytes of the folder's disk.
    func freeSpace() throws -> Int64 { try FileCalls.freeSpace(at: files.path) }

    /// Removes a temporary folder with everything in it.
    func removeIfTemporary() throws {
        if isTemporary { try FileManager.default.removeItem(atPath: files.path) }
    }
}
