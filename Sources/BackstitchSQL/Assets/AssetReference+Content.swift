package import Backstitch
import BackstitchSupport
package import Foundation

extension AssetReference {
    private static let marker: UInt8 = 0x01
    private static let digestLength = 20

    /// Names `data`: base64 of 0x01 and the first 20 bytes of its SHA-256.
    package init(contentOf data: Data) {
        var bytes = Data([Self.marker])
        bytes.append(contentsOf: SHA256.hash(data: data).prefix(Self.digestLength))
        self.init(checksum: bytes.base64EncodedString(), size: Int64(data.count))
    }

    /// Whether the checksum has the form of ours, so that bytes can be checked against it.
    package var hasOwnChecksum: Bool { ownDigest != nil }

    /// Whether `data` may be what the reference names: its length fits, and its hash if the checksum is of our form.
    package func matches(_ data: Data) -> Bool {
        Int64(data.count) == size && (!hasOwnChecksum || AssetReference(contentOf: data).checksum == checksum)
    }

    /// The name of the content's file, and two levels of folders above it. A checksum of ours gives its bytes in
    /// hexadecimal; any other the SHA-256 of its text, since that may hold anything.
    var fileName: (folders: [String], name: String) {
        let bytes = ownDigest.map { [Self.marker] + $0 } ?? SHA256.hash(data: Data(checksum.utf8))
        // The first byte of ours is the same for all, so folders begin with the second.
        return (bytes[1...2].map { [$0].hexadecimal }, bytes.hexadecimal)
    }

    private var ownDigest: [UInt8]? {
        // 21 bytes make 28 base64 characters; only the one canonical spelling counts as ours.
        guard checksum.utf8.count == 28, let bytes = Data(base64Encoded: checksum),
            bytes.count == Self.digestLength + 1,
            bytes.first == Self.marker, bytes.base64EncodedString() == checksum
        else { return nil }
        return Array(bytes.dropFirst())
    }
}
