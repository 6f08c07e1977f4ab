import BackstitchSupport

/// Names the bytes of an asset: known before the bytes are there.
public struct AssetReference: Hashable, Sendable, Codable {
    /// Names the content: base64 of 0x01 and the first 20 bytes of its SHA-256, or what a foreign server says.
    public let checksum: String
    /// Length in bytes.
    public let size: Int64

    /// A reference to the content with `checksum`, `size` bytes long.
    public init(checksum: String, size: Int64) {
        self.checksum = checksum
        self.size = size
    }
}
