import BackstitchSupport

/// The checksum and length of an asset: known before its bytes are.
public struct AssetReference: Hashable, Sendable, Codable {
    /// Identifies the content: base64 of 0x01 and the first 20 bytes of its SHA-256, or the checksum of a foreign
    /// server.
    public let checksum: String
    /// The length of the content in bytes.
    public let size: Int64

    /// Makes a reference to the content with `checksum`, `size` bytes long.
    public init(checksum: String, size: Int64) {
        self.checksum = checksum
        self.size = size
    }
}
