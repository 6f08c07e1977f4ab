import BackstitchSupport
public import Foundation

/// The value of an external binary attribute as a stream. It is made from a file or from bytes, and read as a file or
/// piece by piece. So a film takes no more memory than a thumbnail.
///
/// ```swift
/// // .attribute("film", .binary, external: true)
/// final class Movie: ManagedObject {
///     var film: Asset? { get { self["film"] } set { self["film"] = newValue } }
/// }
///
/// movie.film = try Asset(contentsOf: file)        // reads the file once, for the name of its content
/// try context.save()                              // copies it into the store, piece by piece
///
/// if let film = movie.film {
///     play(film.url)                              // a file of the store
///     for try await piece in film.pieces { … }    // Data of a megabyte each
/// }
/// ```
/// The same attribute can be read as `Data`, which loads all of it into memory, and set to `Data`.
///
/// An asset read from an object is valid while the store keeps its bytes: while they are named by the object, by
/// history or by a pinned state of the store. Each read either finds the bytes or reports that they are missing.
public struct Asset: Sendable {
    private enum Source {
        case data(Data)
        case file(AssetFile)
        case stored(any AssetStorage)
        /// From a value without a store, which only names the content.
        case named
    }

    /// The name and length of the content.
    let reference: AssetReference
    private let source: Source

    private init(_ reference: AssetReference, _ source: Source) {
        self.reference = reference
        self.source = source
    }

    /// Makes an asset of bytes in memory.
    ///
    /// - Complexity: O(bytes), for the checksum.
    public init(_ data: Data) {
        let checksum = AssetChecksum(contentOf: data)
        self.init(AssetReference(checksum: checksum.wire, size: Int64(data.count)), .data(data))
    }

    /// Makes an asset of a file's content. The file must stay unchanged until the object with the asset is saved.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` if the file cannot be read.
    /// - Complexity: O(size) time, for the checksum, and O(1) memory. It blocks while it reads.
    public init(contentsOf url: URL) throws(BackstitchError) {
        let file = try AssetFile(contentsOf: url)
        self.init(file.reference, .file(file))
    }

    /// Makes an asset whose bytes a storage may have.
    package init(_ reference: AssetReference, in storage: any AssetStorage) { self.init(reference, .stored(storage)) }

    /// Makes an asset from a value; a storage may have its bytes.
    init?(_ value: Value, in storage: any AssetStorage) {
        guard case .asset(let reference) = value else {
            self.init(value)
            return
        }
        self.init(reference, in: storage)
    }

    /// The length in bytes, known even while the bytes are elsewhere.
    public var size: Int64 { reference.size }

    /// Identifies the content: base64 of 0x01 and the first 20 bytes of its SHA-256, or a text of the server that sent
    /// it. Equal content made here has equal checksums.
    public var checksum: String { reference.checksum }

    /// Whether the bytes are on this device. The bytes of a synced object may be only on the server; see
    /// `sync.assets.download(_:of:)`.
    public var isHere: Bool {
        switch source {
        case .data: true
        case .file(let file): FileCalls.size(of: file.url.path) == size
        case .stored(let storage): storage.contains(reference)
        case .named: false
        }
    }

    /// A file with the bytes, for reading only: the store's file, or the original file of the asset. Nil if the bytes
    /// are in memory, in a database, or not on this device.
    public var url: URL? {
        switch source {
        case .data, .named: nil
        case .file(let file): file.url
        case .stored(let storage): storage.url(of: reference)
        }
    }

    /// Reads all bytes into memory.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` if they are damaged or not on this device.
    public func data() throws -> Data {
        switch source {
        case .data(let data): return data
        case .file(let file): return try file.data()
        case .stored(let storage): if let data = try storage.read(reference) { return data }
        case .named: break
        }
        throw isElsewhere
    }

    /// Reads the existing bytes within `range`. Their checksum is not verified.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` if they are not on this device.
    public func data(in range: Range<Int64>) throws -> Data {
        switch source {
        case .data(let data): return try AssetContent.data(data).data(in: range)
        case .file(let file): return try AssetContent.file(file).data(in: range)
        case .stored(let storage):
            if let data = try storage.read(reference, range.clamped(to: 0..<max(size, 0))) { return data }
        case .named: break
        }
        throw isElsewhere
    }

    /// The bytes, a megabyte at a time, read on separate threads.
    public var pieces: AssetPieces { AssetPieces(self) }

    var isElsewhere: BackstitchError {
        BackstitchError(
            .asset,
            "the bytes of asset \(checksum) are not on this device; download them first if the store syncs, else "
                + "restore the store's folder of assets from a backup", key: checksum)
    }
}

extension Asset: Hashable {
    /// Whether both have the same content.
    public static func == (left: Asset, right: Asset) -> Bool { left.reference == right.reference }

    /// Hashes consistently with equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(reference) }
}

extension Asset: AttributeValue {
    /// An asset without any bytes.
    public static var missing: Asset { Asset(Data()) }

    /// Makes an asset of bytes or a file. To get an asset with the bytes in a store, read it from an object.
    public init?(_ value: Value) {
        switch value {
        case .data(let data): self.init(data)
        case .file(let file): self.init(file.reference, .file(file))
        case .asset(let reference): self.init(reference, .named)
        default: return nil
        }
    }

    /// The bytes or the file. For an asset read from a store it is the store's content, in memory if the store has no
    /// files. So it can be set on an object of another store. If the bytes are not here, it is the name alone.
    public var attributeValue: Value {
        switch source {
        case .data(let data): .data(data)
        case .file(let file): .file(file)
        case .stored(let storage):
            if let content = try? storage.content(of: reference) { content.value } else { .asset(reference) }
        case .named: .asset(reference)
        }
    }
}
