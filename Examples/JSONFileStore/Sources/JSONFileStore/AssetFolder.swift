import Backstitch
import Foundation

/// Assets as files in a folder, each under a name made of its checksum.
struct AssetFolder: AssetStorage {
    private let folder: URL
    private let isReadOnly: Bool
    /// Held while files are made or removed, so that a collection does not remove a draft during its writing.
    private let changing = NSLock()

    init(_ folder: URL, isReadOnly: Bool) {
        self.folder = folder
        self.isReadOnly = isReadOnly
    }

    func reference(to data: Data) -> AssetReference {
        AssetReference(checksum: Self.checksum(of: data), size: Int64(data.count))
    }

    /// Writes the contents one after the other. A store for many assets would write all of them, and then wait for the
    /// disk once.
    func write(_ contents: AssetContents) throws {
        for (reference, content) in contents { try store(content.data(), reference) }
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
                .asset, "\(data.count) bytes do not match the asset \(reference.checksum); fetch them again",
                key: reference.checksum)
        }
        try store(data, reference)
    }

    func remove(_ reference: AssetReference) throws {
        try requireWritable()
        let place = place(of: reference)
        try changing.withLock {
            guard FileManager.default.fileExists(atPath: place.path) else { return }
            try explaining(reference) { try FileManager.default.removeItem(at: place) }
        }
    }

    /// Removes all files except those of the given names, and returns the number of removed files.
    func collect(keeping names: Set<AssetReference>) throws -> Int {
        try requireWritable()
        guard FileManager.default.fileExists(atPath: folder.path) else { return 0 }
        let kept = Set(names.map { place(of: $0).lastPathComponent })
        return try changing.withLock {
            let doomed = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !kept.contains($0) }
            for name in doomed { try FileManager.default.removeItem(at: folder.appending(path: name)) }
            return doomed.count
        }
    }

    private func store(_ data: Data, _ reference: AssetReference) throws {
        try requireWritable()
        try changing.withLock {
            if contains(reference) { return }
            try explaining(reference) {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try DurableFile.replace(place(of: reference), with: data)
            }
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

    /// Returns the file of a reference. Foreign checksums may hold any text, so the file name is a digest of the
    /// checksum.
    private func place(of reference: AssetReference) -> URL {
        let digest = SHA256.digest(of: Array(reference.checksum.utf8))
        let digits = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        return folder.appending(path: digits.joined())
    }

    /// Returns the checksum in the form of ``AssetReference/checksum``.
    private static func checksum(of data: Data) -> String {
        Data([1] + SHA256.digest(of: Array(data)).prefix(20)).base64EncodedString()
    }
}
