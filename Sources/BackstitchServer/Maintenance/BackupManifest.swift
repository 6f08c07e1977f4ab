import BackstitchSupport
import Foundation

/// The file `manifest.json` of a backup, which is written last: a folder without it is no whole backup.
///
/// A backup is a folder with the database of a storage, `zones.sqlite`, whatever database it came from, and with the
/// content of its assets in `assets`, each named by its checksum.
public struct BackupManifest: Sendable, Codable, Hashable {
    /// The form of the folder: 1.
    public var format: Int
    /// Where the storage was, without a password.
    public var storage: String
    /// When the backup was begun, in milliseconds since 1970.
    public var made: Int64
    /// The history of the storage.
    public var history: Int64
    /// Bytes of the database.
    public var databaseBytes: Int64
    /// SHA-256 of the database, in hexadecimal digits.
    public var databaseSHA256: String
    /// How many contents of assets are in the backup; nil where they are in a store of objects, which keeps its own.
    public var assets: Int?
    /// Their bytes.
    public var assetBytes: Int64?

    static let form = 1
    static let file = "manifest.json"
    static let database = "zones.sqlite"

    /// Reads the manifest of a backup. Blocks.
    ///
    /// - Throws: ``ZoneServerError`` when the folder is no backup of this form.
    static func read(in folder: URL) throws -> BackupManifest {
        guard let data = try FileCalls.contents(of: folder.appending(path: file).path) else {
            throw ZoneServerError(
                .storageFormat, "'\(folder.path)' is no whole backup: there is no \(file) in it, which is written last")
        }
        let manifest: BackupManifest
        do { manifest = try JSONDecoder().decode(BackupManifest.self, from: data) } catch {
            throw ZoneServerError(.storageFormat, "the \(file) in '\(folder.path)' is damaged", cause: error)
        }
        guard manifest.format == form else {
            throw ZoneServerError(
                .storageFormat, "the backup in '\(folder.path)' has form \(manifest.format); run a newer version")
        }
        return manifest
    }

    /// Writes it, durably. Blocks.
    func write(in folder: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let draft = folder.appending(path: Self.file + ".draft").path
        try FileCalls.remove(draft)
        guard let file = try FileCalls.create(draft) else {
            throw ZoneServerError(.storageUnavailable, "another backup is being made in '\(folder.path)'")
        }
        defer { file.close() }
        try file.write(encoder.encode(self))
        try file.sync()
        _ = try FileCalls.rename(draft, to: folder.appending(path: Self.file).path)
        try PrivateFolder.synchronize(folder)
    }
}
