import Backstitch
import Foundation

/// Assets as files in a folder, each under a name made of its checksum.
struct AssetFolder: AssetStorage {
    private let folder: URL
    private let isReadOnly: Bool

    init(_ folder: URL, isReadOnly: Bool) {
        self.folder = folder
        self.isReadOnly = isReadOnly
    }

    func write(_ data: Data) throws -> AssetReference {
        let reference = AssetReference(checksum: Self.checksum(of: data), size: Int64(data.count))
        try store(data, reference)
        return reference
    }

    func read(_ reference: AssetReference) throws -> Data? {
        guard contains(reference) else { return nil }
        return try explaining(reference) { try Data(contentsOf: place(of: reference)) }
    }

    func contains(_ reference: AssetReference) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: place(of: reference).path)
        return (attributes?[.size] as? NSNumber)?.int64Value == reference.size
    }

    func accept(_ data: Data, as reference: AssetReference) throws {
        let isOwn = Data(base64Encoded: reference.checksum).map { $0.count == 21 && $0.first == 1 } ?? false
        guard Int64(data.count) == reference.size, !isOwn || Self.checksum(of: data) == reference.checksum else {
            throw BackstitchError(
                .asset, "\(data.count) bytes are not those of the asset \(reference.checksum); fetch them again",
                key: reference.checksum)
        }
        try store(data, reference)
    }

    func remove(_ reference: AssetReference) throws {
        try requireWritable()
        let place = place(of: reference)
        guard FileManager.default.fileExists(atPath: place.path) else { return }
        try explaining(reference) { try FileManager.default.removeItem(at: place) }
    }

    private func store(_ data: Data, _ reference: AssetReference) throws {
        try requireWritable()
        if contains(reference) { return }
        try explaining(reference) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try DurableFile.replace(place(of: reference), with: data)
        }
    }

    private func requireWritable() throws {
        if isReadOnly { throw StoreConfiguration.isReadOnly("the store of \(folder.path)") }
    }

    private func explaining<Result>(_ reference: AssetReference, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            throw BackstitchError(
                .asset, "the asset \(reference.checksum) in \(folder.path) could not be read, written or removed",
                key: reference.checksum, cause: error)
        }
    }

    /// Checksums that others made may hold anything, so the name is a digest of the checksum.
    private func place(of reference: AssetReference) -> URL {
        let digest = SHA256.digest(of: Array(reference.checksum.utf8))
        let digits = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        return folder.appending(path: digits.joined())
    }

    /// As ``AssetReference/checksum`` has it.
    private static func checksum(of data: Data) -> String {
        Data([1] + SHA256.digest(of: Array(data)).prefix(20)).base64EncodedString()
    }
}
