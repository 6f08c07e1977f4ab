public import Foundation

/// Bytes kept outside the rows, by their content's name.
///
/// A storage in files gives ``url(of:)``, reads parts, and takes files over without reading them into memory; for any
/// other all of that goes through ``read(_:)`` and ``accept(_:as:)``.
public protocol AssetStorage: Sendable {
    /// The name that bytes have here. Keeps nothing.
    func reference(to data: Data) -> AssetReference
    /// Keeps bytes durably under their names, which are taken on trust. When it throws, some of them may be kept.
    ///
    /// - Complexity: O(bytes). The disk is waited for a few times in all, not for each of them.
    func write(_ contents: AssetContents) throws
    /// The bytes of that name; nil when they are not here.
    func read(_ reference: AssetReference) throws -> Data?
    /// A part of the bytes of that name, as far as they go; nil when they are not here.
    func read(_ reference: AssetReference, _ range: Range<Int64>) throws -> Data?
    /// Whether the bytes of that name are here.
    func contains(_ reference: AssetReference) -> Bool
    /// Those of some names whose bytes are here. Unless a storage knows better each is looked at; one that keeps bytes
    /// in a database asks it for all of them together.
    func present(among references: Set<AssetReference>) -> Set<AssetReference>
    /// The file with the bytes of that name, which nobody writes to; nil when they are not here, or in no file.
    func url(of reference: AssetReference) -> URL?
    /// Keeps bytes that came from elsewhere under their name.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` when their length, or a checksum of ours, is not the reference's.
    func accept(_ data: Data, as reference: AssetReference) throws
    /// Keeps the bytes of a file that came from elsewhere under their name. The file is gone afterwards.
    ///
    /// - Throws: As ``accept(_:as:)``; the file then stays.
    func adopt(_ file: URL, as reference: AssetReference) throws
    /// Forgets the bytes of that name, if they are here.
    func remove(_ reference: AssetReference) throws
}

extension AssetStorage {
    /// Keeps bytes durably and gives their name. Equal bytes are kept once.
    public func write(_ data: Data) throws -> AssetReference {
        let reference = reference(to: data)
        try write([reference: .data(data)])
        return reference
    }

    /// Reads all, and gives the part.
    public func read(_ reference: AssetReference, _ range: Range<Int64>) throws -> Data? {
        guard let data = try read(reference) else { return nil }
        let part = range.clamped(to: 0..<Int64(data.count))
        return Data(data.dropFirst(Int(part.lowerBound)).prefix(part.count))
    }

    /// Looks at each.
    public func present(among references: Set<AssetReference>) -> Set<AssetReference> { references.filter(contains) }

    /// None.
    public func url(of reference: AssetReference) -> URL? { nil }

    /// Reads the file, keeps its bytes, and removes it.
    public func adopt(_ file: URL, as reference: AssetReference) throws {
        try accept(AssetFile(file, as: reference).data(), as: reference)
        try FileManager.default.removeItem(at: file)
    }

    /// The bytes of that name as another storage takes them: their file where there is one. Nil when they are not here.
    package func content(of reference: AssetReference) throws -> AssetContent? {
        if let url = url(of: reference) { return .file(AssetFile(url, as: reference)) }
        return try read(reference).map(AssetContent.data)
    }
}
