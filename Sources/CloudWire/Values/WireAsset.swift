/// A file that belongs to a field.
///
/// Writing needs the ``receipt`` of an upload; reading gives a ``downloadURL``. An asset that was read has no receipt,
/// so an update leaves the field out to keep it.
public struct WireAsset: Sendable, Hashable, WireCodable {
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

    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("fileChecksum")
        writer.string(fileChecksum)
        writer.key("size")
        writer.int(size)
        writer.optionalString("receipt", receipt)
        writer.optionalString("wrappingKey", wrappingKey)
        writer.optionalString("referenceChecksum", referenceChecksum)
        writer.optionalString("downloadURL", downloadURL)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> WireAsset {
        var checksum: String?
        var asset = WireAsset(fileChecksum: "", size: 0)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "fileChecksum": checksum = try reader.readStringOrNull()
            case "size": asset.size = try reader.readNull() ? 0 : try reader.readInt64()
            case "receipt": asset.receipt = try reader.readStringOrNull()
            case "wrappingKey": asset.wrappingKey = try reader.readStringOrNull()
            case "referenceChecksum": asset.referenceChecksum = try reader.readStringOrNull()
            case "downloadURL": asset.downloadURL = try reader.readStringOrNull()
            default: try reader.skip()
            }
        }
        guard let checksum else { throw reader.wrongValue("an asset needs a fileChecksum") }
        asset.fileChecksum = checksum
        return asset
    }
}
