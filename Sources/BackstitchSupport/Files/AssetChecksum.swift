package import Foundation

/// Names an asset by its content: the byte 1 and the first 20 bytes of the content's SHA-256.
package struct AssetChecksum: Sendable, Hashable {
    /// The length of a checksum in bytes.
    package static let length = 21
    private static let marker: UInt8 = 1

    /// The marker, followed by the first 20 bytes of the digest.
    package let bytes: [UInt8]

    /// - Parameter bytes: The 21 bytes of an earlier checksum. They are not checked.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameter digest: The content's SHA-256.
    package init(_ digest: some Sequence<UInt8>) { bytes = [Self.marker] + digest.prefix(Self.length - 1) }

    /// Computes the checksum of `data`.
    package init(contentOf data: some ContiguousBytes) { self.init(SHA256.hash(data: data)) }

    /// Decodes a checksum from its text in a record; nil for any other text.
    package init?(wire: String) {
        guard let data = Data(base64Encoded: wire) else { return nil }
        self.init(checked: Array(data))
    }

    /// Decodes a checksum from its text in a file name or an address; nil for any other text.
    package init?(hexadecimal: some StringProtocol) {
        guard hexadecimal.utf8.count == 2 * Self.length, let bytes = [UInt8](hexadecimal: hexadecimal) else {
            return nil
        }
        self.init(checked: bytes)
    }

    private init?(checked bytes: [UInt8]) {
        guard bytes.count == Self.length, bytes.first == Self.marker else { return nil }
        self.bytes = bytes
    }

    /// The bytes, as a database column keeps them.
    package var data: Data { Data(bytes) }
    /// The checksum in base64, as records carry it.
    package var wire: String { data.base64EncodedString() }
    /// The checksum in hexadecimal digits, as file names and addresses hold it.
    package var hexadecimal: String { bytes.hexadecimal }
}
