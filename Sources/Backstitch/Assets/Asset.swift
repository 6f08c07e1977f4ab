import BackstitchSupport
public import Foundation

/// The value of an external binary attribute as a stream: made of a file or of bytes, read as a file or piece by piece,
/// so that memory stays the same for a film and for a thumbnail.
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
/// The same attribute can be read as `Data`, which puts all of it into memory, and set to `Data`.
///
/// An asset that was read from an object stays good while the store has its bytes: while the object, history or
/// a pinned state of the store names them. Each read finds them or says that they are gone.
public struct Asset: Sendable {
    private enum Source {
        case data(Data)
        case file(AssetFile)
        case stored(any AssetStorage)
        /// Named by a value that nobody has read from a store.
        case named
    }

    /// The name of the content.
    let reference: AssetReference
    private let source: Source

    private init(_ reference: AssetReference, _ source: Source) {
        self.reference = reference
        self.source = source
    }

    /// An asset of bytes.
    ///
    /// - Complexity: O(bytes), for the checksum.
    public init(_ data: Data) {
        let checksum = AssetChecksum(contentOf: data)
        self.init(AssetReference(checksum: checksum.wire, size: Int64(data.count)), .data(data))
    }

    /// An asset of a file's content, which must be there, and be the same, until the object that gets it is saved.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` when the file cannot be read.
    /// - Complexity: O(size) time, for the checksum, and O(1) memory. It blocks while it reads.
    public init(contentsOf url: URL) throws(BackstitchError) {
        let file = try AssetFile(contentsOf: url)
        self.init(file.reference, .file(file))
    }

    /// An asset whose bytes a storage may have.
    package init(_ reference: AssetReference, in storage: any AssetStorage) { self.init(reference, .stored(storage)) }

    /// The asset that a value names, whose bytes a storage may have.
    init?(_ value: Value, in storage: any AssetStorage) {
        guard case .asset(let reference) = value else {
            self.init(value)
            return
        }
        self.init(reference, in: storage)
    }

    /// Length in bytes; known also while the bytes are elsewhere.
    public var size: Int64 { reference.size }

    /// Names the content: base64 of 0x01 and the first 20 bytes of its SHA-256, or a text of the server that it came
    /// from. Equal content made here has equal checksums.
    public var checksum: String { reference.checksum }

    /// Whether the bytes are on this device. Those of a synced object may be on the server only; see
    /// `sync.downloadAsset(of:key:)`.
    public var isHere: Bool {
        switch source {
        case .data: true
        case .file(let file): FileCalls.size(of: file.url.path) == size
        case .stored(let storage): storage.contains(reference)
        case .named: false
        }
    }

    /// A file with the bytes, to be read only: that of the store, or the one that the asset was made of. Nil where the
    /// bytes are in memory, in a database, or not on this device.
    public var url: URL? {
        switch source {
        case .data, .named: nil
        case .file(let file): file.url
        case .stored(let storage): storage.url(of: reference)
        }
    }

    /// All bytes, in memory.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` when they are not on this device or damaged.
    public func data() throws -> Data {
        switch source {
        case .data(let data): return data
        case .file(let file): return try file.data()
        case .stored(let storage): if let data = try storage.read(reference) { return data }
        case .named: break
        }
        throw isElsewhere
    }

    /// Some of the bytes: those of `range` that there are. Their checksum is not looked at.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` when they are not on this device.
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

    /// The bytes, a megabyte at a time, read on threads of their own.
    public var pieces: AssetPieces { AssetPieces(self) }

    var isElsewhere: BackstitchError {
        BackstitchError(
            .asset,
            "the bytes of asset \(checksum) are not on this device; download them first where the store syncs, else "
                + "restore the store's folder of assets from a backup", key: checksum)
    }
}

extension Asset: Hashable {
    /// Whether they have the same content.
    public static func == (left: Asset, right: Asset) -> Bool { left.reference == right.reference }

    /// Consistent with equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(reference) }
}

extension Asset: AttributeValue {
    /// No bytes.
    public static var missing: Asset { Asset(Data()) }

    /// Bytes, or a file. What a store has kept is found by reading it from an object.
    public init?(_ value: Value) {
        switch value {
        case .data(let data): self.init(data)
        case .file(let file): self.init(file.reference, .file(file))
        case .asset(let reference): self.init(reference, .named)
        default: return nil
        }
    }

    /// The bytes or the file. Of an asset that was read from a store they are those of the store, in memory where it
    /// keeps no files, so that it can be given to an object of another store; the name alone where they are not here.
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
