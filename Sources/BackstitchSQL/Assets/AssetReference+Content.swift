package import Backstitch
import BackstitchSupport
package import Foundation

extension AssetReference {
    /// Creates the reference of `data`: base64 of 0x01 and the first 20 bytes of its SHA-256.
    package init(contentOf data: Data) {
        self.init(checksum: AssetChecksum(contentOf: data).wire, size: Int64(data.count))
    }

    /// Whether the checksum has this project's form, so that bytes can be checked against it.
    package var hasOwnChecksum: Bool { ownChecksum != nil }

    /// Whether `data` can be the referenced content: its length fits, and its hash too if the checksum has this
    /// project's form.
    package func matches(_ data: Data) -> Bool {
        Int64(data.count) == size && (!hasOwnChecksum || AssetReference(contentOf: data).checksum == checksum)
    }

    /// Checks the checksum and the length of some content against this reference.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` unless they can belong to the referenced content.
    func require(_ found: AssetChecksum, _ length: Int64) throws {
        guard length == size, ownChecksum == nil || ownChecksum == found else {
            throw BackstitchError.notContent(length, of: self)
        }
    }

    /// The name of the content's file below two levels of folders, for ``ContentFolder``. A checksum of this project's
    /// form gives its bytes in hexadecimal. Any other gives the SHA-256 of its text, since that text can hold any
    /// characters.
    var fileName: String {
        let bytes = ownChecksum?.bytes ?? SHA256.hash(data: Data(checksum.utf8))
        // The first byte of an own checksum is always the same, so folders begin with the second.
        return "\(bytes[1...1].hexadecimal)/\(bytes[2...2].hexadecimal)/\(bytes.hexadecimal)"
    }

    private var ownChecksum: AssetChecksum? {
        // Only the canonical spelling counts as an own checksum.
        guard let own = AssetChecksum(wire: checksum), own.wire == checksum else { return nil }
        return own
    }
}
