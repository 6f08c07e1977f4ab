public import Foundation

/// Bytes kept outside the rows, by the name of their content.
///
/// A storage in files returns ``url(of:)``, reads parts, and adopts files without loading them into memory. In any
/// other storage these requests use ``read(_:)`` and ``accept(_:as:)``.
public protocol AssetStorage: Sendable {
    /// Returns the reference to bytes in this storage. Nothing is stored.
    func reference(to data: Data) -> AssetReference
    /// Stores bytes durably under their references, which are not verified. If it throws, some of them may be stored.
    ///
    /// - Complexity: O(bytes). It waits for the disk a few times in all, not for each content.
    func write(_ contents: AssetContents) throws
    /// Reads the bytes of a reference; nil if they are not here.
    func read(_ reference: AssetReference) throws -> Data?
    /// Reads the existing part of a reference's bytes; nil if the bytes are not here.
    func read(_ reference: AssetReference, _ range: Range<Int64>) throws -> Data?
    /// Whether the bytes of a reference are here.
    func contains(_ reference: AssetReference) -> Bool
    /// Returns the references whose bytes are here. By default each one is checked; a storage in a database checks all
    /// of them with one request.
    func present(among references: Set<AssetReference>) -> Set<AssetReference>
    /// Returns the file with the bytes of a reference, for reading only; nil if they are not here, or in no file.
    func url(of reference: AssetReference) -> URL?
    /// Stores received bytes under their reference.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` if their length is not the reference's. The same error is thrown if
    ///   their checksum is not, as long as the reference has a checksum of Backstitch's form.
    func accept(_ data: Data, as reference: AssetReference) throws
    /// Stores the bytes of a received file under their reference. The file is removed from its place.
    ///
    /// - Throws: As ``accept(_:as:)``; the file then stays.
    func adopt(_ file: URL, as reference: AssetReference) throws
    /// Removes the bytes of a reference, if they are here.
    func remove(_ reference: AssetReference) throws
}

extension AssetStorage {
    /// Stores bytes durably and returns their reference. Equal bytes are stored once.
    public func write(_ data: Data) throws -> AssetReference {
        let reference = reference(to: data)
        try write([reference: .data(data)])
        return reference
    }

    /// Reads all bytes, and returns the part.
    public func read(_ reference: AssetReference, _ range: Range<Int64>) throws -> Data? {
        guard let data = try read(reference) else { return nil }
        let part = range.clamped(to: 0..<Int64(data.count))
        return Data(data.dropFirst(Int(part.lowerBound)).prefix(part.count))
    }

    /// Checks each reference by ``contains(_:)``.
    public func present(among references: Set<AssetReference>) -> Set<AssetReference> { references.filter(contains) }

    /// Returns nil: the default is a storage without files.
    public func url(of reference: AssetReference) -> URL? { nil }

    /// Reads the file, stores its bytes, and removes it.
    public func adopt(_ file: URL, as reference: AssetReference) throws {
        try accept(AssetFile(file, as: reference).data(), as: reference)
        try FileManager.default.removeItem(at: file)
    }

    /// Returns the bytes of a reference in the form for another storage: as a file if there is one. Nil if they are not
    /// here.
    package func content(of reference: AssetReference) throws -> AssetContent? {
        if let url = url(of: reference) { return .file(AssetFile(url, as: reference)) }
        return try read(reference).map(AssetContent.data)
    }
}
