package import Backstitch
import BackstitchSupport
package import Foundation

extension AssetReference {
    /// Names `data`: base64 of 0x01 and the first 20 bytes of its SHA-256.
    package init(contentOf data: Data) {
        self.init(checksum: AssetChecksum(contentOf: data).wire, size: Int64(data.count))
    }

    /// Whether the checksum has the form of ours, so that bytes can be checked against it.
    package var hasOwnChecksum: Bool { ownChecksum != nil }

    /// Whether `data` may be what the reference names: its length fits, and its hash if the checksum is of our form.
    package func matches(_ data: Data) -> Bool {
        Int64(data.count) == size && (!hasOwnChecksum || AssetReference(contentOf: data).checksum == checksum)
    }

    /// - Throws: ``BackstitchError/Code/asset`` unless content of that checksum and length may be what is named.
    func require(_ found: AssetChecksum, _ length: Int64) throws {
        guard length == size, ownChecksum == nil || ownChecksum == found else {
            throw BackstitchError.notContent(length, of: self)
        }
    }

    /// The name of the content's file below two levels of folders, for ``ContentFolder``. A checksum of ours gives its
    /// bytes in hexadecimal; any other the SHA-256 of its text, since that may hold anything.
    var fileName: String {
        let bytes = ownChecksum?.bytes ?? SHA256.hash(data: Data(checksum.utf8))
        // The first byte of ours is the same for all, so folders begin with the second.
        return "\(bytes[1...1].hexadecimal)/\(bytes[2...2].hexadecimal)/\(bytes.hexadecimal)"
    }

    private var ownChecksum: AssetChecksum? {
        // Only the one canonical spelling counts as ours.
        guard let own = AssetChecksum(wire: checksum), own.wire == checksum else { return nil }
        return own
    }
}
