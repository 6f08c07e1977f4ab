/// A file that is the value of a field.
///
/// A write needs the ``receipt`` of an upload, and a read returns a ``downloadURL``. An asset from a read has no
/// receipt, so an update keeps it by leaving the field out.
package struct WireAsset: Sendable, Hashable {
    /// The digest of the content. The server makes it, and it is opaque to clients.
    package var fileChecksum: String
    /// The length of the content in bytes.
    package var size: Int64
    /// The proof of an upload. It is returned to the server in the record of the file.
    package var receipt: String?
    /// A value that is stored and returned; this project's server makes none.
    package var wrappingKey: String?
    /// A value that is stored and returned; this project's server makes none.
    package var referenceChecksum: String?
    /// The address of the content, valid for a short time. It may have `${f}` in place of a file name.
    package var downloadURL: String?

    package init(
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
