import Backstitch
import Foundation

/// The bytes of an encrypted value on the server.
///
/// | bytes | |
/// |---|---|
/// | 1 | the version of this form: 1 |
/// | 1 | the length of the key's name |
/// | 1…64 | the key's name, ASCII |
/// | 12 | the nonce, from the system's generator |
/// | n | the ciphertext: a ``SealedContent`` under AES-256-GCM (NIST SP 800-38D) |
/// | 16 | the tag |
///
/// The tag also covers version, key name and ``SealedPlace``. So a value from another record, from another field or
/// under another key is detected. An older value of the same field is not detected.
struct SealedEnvelope {
    private static let version: UInt8 = 1

    let keyID: String
    private let header: Data
    /// The nonce, the ciphertext and the tag.
    private let box: Data

    /// Encrypts a content for one place.
    init(_ content: Data, with key: EncryptionKey, at place: SealedPlace) throws {
        keyID = key.id
        header = Self.header(key.id)
        box = try SealingCipher.seal(content, with: key.bytes, authenticating: header + place.bytes)
    }

    /// Reads the result of ``bytes``; nil for other bytes.
    init?(_ bytes: Data) {
        let bytes = Data(bytes)
        guard bytes.count >= 2, bytes[0] == Self.version else { return nil }
        let end = 2 + Int(bytes[1])
        guard bytes.count >= end + 28 else { return nil }
        let id = String(decoding: bytes[2..<end], as: UTF8.self)
        guard EncryptionKey.isID(id) else { return nil }
        keyID = id
        header = bytes[..<end]
        box = bytes[end...]
    }

    var bytes: Data { header + box }

    /// The decrypted content; nil if the key, the place or the bytes differ from those of the encryption.
    func open(with key: EncryptionKey, at place: SealedPlace) -> Data? {
        try? SealingCipher.open(box, with: key.bytes, authenticating: header + place.bytes)
    }

    private static func header(_ id: String) -> Data { Data([version, UInt8(id.utf8.count)]) + Data(id.utf8) }
}
