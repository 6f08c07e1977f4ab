import BackstitchSupport
public import Foundation

/// A file with the content of a future asset. The content stays in the file until the save, which copies it into the
/// store.
///
/// Two of them are equal if their content is.
public struct AssetFile: Sendable, Hashable {
    /// The place of the file.
    public let url: URL
    /// The name and length of the content.
    public let reference: AssetReference

    /// Makes a value for a file with known content.
    package init(_ url: URL, as reference: AssetReference) {
        self.url = url
        self.reference = reference
    }

    /// Makes a value for a file, and reads the file once for its checksum.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` if the file cannot be read.
    /// - Complexity: O(size) time, O(1) memory.
    public init(contentsOf url: URL) throws(BackstitchError) {
        let (checksum, size) = try Self.reading(url) { try AssetChecksum.reading($0) }
        self.init(url, as: AssetReference(checksum: checksum.wire, size: size))
    }

    /// Reads all of the content.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` if the file cannot be read, or has changed.
    public func data() throws(BackstitchError) -> Data {
        let data = try Self.reading(url) { try $0.readToEnd() }
        let checksum = AssetChecksum(wire: reference.checksum)
        guard Int64(data.count) == reference.size, checksum == nil || checksum == AssetChecksum(contentOf: data) else {
            throw BackstitchError.hasChanged(url.path)
        }
        return data
    }

    /// Calls `body` with one megabyte of the content after another.
    package func forEachPiece(_ body: (Data) throws -> Void) throws {
        guard let file = FileCalls.open(url.path) else {
            throw BackstitchError.cannotRead(url, SystemError.last("open", url.path))
        }
        defer { file.close() }
        try file.forEachPiece { try body(Data($0)) }
    }

    /// Opens a file and runs `body` with it.
    static func reading<Result>(
        _ url: URL, _ body: (OpenFile) throws -> Result
    ) throws(BackstitchError) -> Result {
        guard url.isFileURL else {
            throw BackstitchError(
                .asset, "\(url.absoluteString) is not a file, so no asset can be made of it; download it first",
                key: url.absoluteString)
        }
        do {
            guard let file = FileCalls.open(url.path) else { throw SystemError.last("open", url.path) }
            defer { file.close() }
            return try body(file)
        } catch {
            throw BackstitchError.cannotRead(url, error)
        }
    }

    /// Compares the content, not the place.
    public static func == (left: AssetFile, right: AssetFile) -> Bool { left.reference == right.reference }

    /// Hashes consistently with equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(reference) }
}

extension BackstitchError {
    /// The error for a file that cannot be read for an asset.
    static func cannotRead(_ url: URL, _ cause: any Error) -> BackstitchError {
        let reason = (cause as? SystemError)?.reason ?? "\(cause)"
        return BackstitchError(
            .asset, "\(url.path) cannot be read: \(reason); check the path and its rights", key: url.path, cause: cause)
    }

    /// The error for a file that has changed since an asset was made of it.
    package static func hasChanged(_ path: String) -> BackstitchError {
        BackstitchError(.asset, "\(path) has changed since an asset was made of it; make the asset anew", key: path)
    }
}
