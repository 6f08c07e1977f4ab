/// A file that belongs to a field.
///
/// Writing needs the ``receipt`` of an upload; reading gives a ``downloadURL``. An asset that was read has no receipt,
/// so an update leaves the field out to keep it.
public struct WireAsset: Sendable, Hashable {
    /// Digest of the content, made by the server and opaque to clients.
    public var fileChecksum: String
    /// Bytes of the content.
    public var size: Int64
    /// Proof of an upload, to be given back in the record that takes the file.
    public var receipt: String?
    /// Kept and given back; this project's server makes none.
    public var wrappingKey: String?
    /// Kept and given back; this project's server makes none.
    public var referenceChecksum: String?
    /// Where to read the content, for a short time. May hold `${f}`, to be replaced by a file name.
    public var downloadURL: String?

    /// An asset with all its parts.
    public init(
        fileChecksum: String, size: Int64, receipt: String? = nil, wrappingKey: String? = nil,
        referenceChecksum: String? = nil, downloadURL: String? = nil
    ) {
        self.fileChecksum = fileChecksum
        self.size = size
        self.receipt = receipt
        self.wrappingKey = wrappingKey
        self.referenceChecksum = referenceChecksum
        self.downloadURL = downloadURL
    }
}

extension WireAsset: WireObject {
    static var blank: Self { Self(fileChecksum: "", size: 0) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("fileChecksum", &fileChecksum, else: "an asset needs a fileChecksum")
        keys.value("size", &size)
        keys.opaque("receipt", &receipt)
        keys.optional("wrappingKey", &wrappingKey)
        keys.optional("referenceChecksum", &referenceChecksum)
        keys.opaque("downloadURL", &downloadURL)
    }
}
