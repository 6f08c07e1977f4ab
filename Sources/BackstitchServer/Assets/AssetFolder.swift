import BackstitchSupport
import Foundation

/// The files of assets: `<tenant>/<two digits>/<checksum>`, written under `incoming` first, or under `partial` where
/// their uploads may break off and go on.
///
/// All calls block; they belong on a ``WorkRunner`` or a storage's writer.
struct AssetFolder: Sendable {
    private let files: ContentFolder
    /// Whether it goes with this server: no other one sees it.
    let isTemporary: Bool
    /// Whether other servers use it too.
    let isShared: Bool
    /// The files of which only a part has come. A restart leaves them, and servers that share the folder share them.
    let partials: PartialFolder

    private static let drafts = "incoming"
    private static let partials = "partial"

    init(_ root: URL, isTemporary: Bool = false) throws {
        try self.init(root, drafts: Self.drafts, isTemporary: isTemporary, isShared: false)
    }

    /// A folder that other servers use too: what they are receiving is left alone.
    init(_ root: URL, sharedBy random: any ServerRandom) throws {
        let number = UInt64(bitPattern: random.identifier())
        try self.init(
            root, drafts: "\(Self.drafts)-\(String(number, radix: 16))", isTemporary: false, isShared: true)
    }

    /// A folder that servers use, to look into it: nothing is made or removed.
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
        // A file that a stopped server had half received is of no use to anybody.
        let manager = FileManager.default
        if manager.fileExists(atPath: files.drafts) { try manager.removeItem(atPath: files.drafts) }
        try PrivateFolder.make(URL(fileURLWithPath: files.drafts))
        try PrivateFolder.make(URL(fileURLWithPath: partials.path))
    }

    func file(_ name: AssetName) -> URL { URL(fileURLWithPath: files.path(of: name.path)) }

    func incoming(_ name: String) -> URL { URL(fileURLWithPath: "\(files.drafts)/\(name)") }

    /// Gives a file that is complete and synchronised its place, and waits for the disk. The same content twice is one
    /// file.
    func adopt(_ file: URL, as name: AssetName) throws {
        try PrivateFolder.refusingLinks { try files.adopt(file.path, as: name.path) }
    }

    func has(_ name: AssetName) -> Bool { files.has(name.path) }

    /// Removes a file; one that is gone already is no error.
    func remove(_ name: AssetName) throws { try files.remove(name.path) }

    /// Removes files that the storage does not know: a server was stopped between their making and their commit.
    func removeStrays(isKnown: (Int64, AssetChecksum) throws -> Bool) throws {
        try files.forEachName(where: { level, name in level > 0 || Int64(name) != nil }) { name in
            guard let name = AssetName(path: name) else { return }
            if try !isKnown(name.tenantID, name.checksum) { try remove(name) }
        }
    }

    /// Calls `body` with the name of each content.
    func forEachName(_ body: (AssetName) throws -> Void) throws {
        try files.forEachName(where: { level, name in level > 0 || Int64(name) != nil }) { path in
            if let name = AssetName(path: path) { try body(name) }
        }
    }

    /// The names of content that has been there since before a time.
    func names(olderThan limit: Date) throws -> [AssetName] {
        var names: [AssetName] = []
        try files.forEachName(where: { level, name in level > 0 || Int64(name) != nil }) { path in
            guard let name = AssetName(path: path), Self.isOlder(file(name), than: limit) else { return }
            names.append(name)
        }
        return names
    }

    /// Removes what other servers were receiving before a time: they were stopped.
    func removeDrafts(olderThan limit: Date) throws {
        for name in try FileCalls.names(in: files.path) where name.hasPrefix("\(Self.drafts)-") {
            let folder = "\(files.path)/\(name)"
            guard folder != files.drafts else { continue }
            for draft in try FileCalls.names(in: folder) {
                let path = "\(folder)/\(draft)"
                if Self.isOlder(URL(fileURLWithPath: path), than: limit) { try FileCalls.remove(path) }
            }
            // One that is empty may be of a server that waits for its first upload.
        }
    }

    /// False for one that another server has removed just now.
    private static func isOlder(_ file: URL, than limit: Date) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes?[.modificationDate] as? Date).map { $0 < limit } ?? false
    }

    /// Whether there is any content.
    func hasContent() throws -> Bool { try FileCalls.names(in: files.path).contains { Int64($0) != nil } }

    func removeIfTemporary() throws {
        if isTemporary { try FileManager.default.removeItem(atPath: files.path) }
    }
}
