import BackstitchSupport
import Foundation

/// The file `manifest.json` of a backup. It is written last, so a folder without it is an incomplete backup.
///
/// A backup is a folder. It has the database of the storage as `zones.sqlite`, even if the storage uses another
/// database. The content of the assets is in `assets`, and each file is named by its checksum.
public struct BackupManifest: Sendable, Codable, Hashable {
    /// The form of the folder: 1.
    public var format: Int
    /// The place of the storage, without a password.
    public var storage: String
    /// The start of the backup, in milliseconds since 1970.
    public var made: Int64
    /// The history of the storage.
    public var history: Int64
    /// Bytes of the database.
    public var databaseBytes: Int64
    /// SHA-256 of the database, in hexadecimal digits.
    public var databaseSHA256: String
    /// The number of contents of assets in the backup; nil if a store of objects keeps them.
    public var assets: Int?
    /// Bytes of these contents; nil in the same case.
    public var assetBytes: Int64?

    static let form = 1
    static let file = "manifest.json"
    static let database = "zones.sqlite"

    /// Reads the manifest of a backup. Blocks.
    ///
    /// - Throws: ``ZoneServerError`` if the folder is no backup of this form.
    static func read(in folder: URL) throws -> BackupManifest {
        guard let data = try FileCalls.contents(of: folder.appending(path: file).path) else {
            throw ZoneServerError(
                .storageFormat, "'\(folder.path)' is not a complete backup: it lacks \(file), which is written last")
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

    /// Writes the manifest durably. Blocks.
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
