import Backstitch
import BackstitchSupport
public import Foundation

/// A key of 256 bits for encrypting values (AES-GCM), with a name. Each encrypted value carries the name of its key.
///
/// ```swift
/// let key = try EncryptionKey(id: "2026-01", bytes: bytes)  // 32 bytes, from the program's key chain
/// ```
/// The server sees the name, and never the bytes. Descriptions, logs and mirrors do not contain the bytes either.
public struct EncryptionKey: Sendable {
    /// The name of the key: 1 to 64 letters, digits, dots, hyphens or underscores. Other bytes need another name.
    public let id: String
    let bytes: Data

    /// Creates a key from its name and bytes.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/invalidValue`` for another number of bytes than 32, or an invalid
    ///   name.
    public init(id: String, bytes: Data) throws {
        guard Self.isID(id) else {
            throw BackstitchError(
                .invalidValue,
                "\"\(id)\" names no encryption key: a name is 1 to 64 letters, digits, dots, hyphens or underscores")
        }
        guard bytes.count == 32 else {
            throw BackstitchError(
                .invalidValue, "the encryption key \"\(id)\" has \(bytes.count) bytes, but AES-256 takes 32")
        }
        self.id = id
        // A copy instead of a slice: the indices of a slice begin elsewhere.
        self.bytes = Data(bytes)
    }

    /// A new key, from the system's random generator.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/invalidValue`` for an invalid name.
    public static func generated(id: String) throws -> EncryptionKey {
        try EncryptionKey(id: id, bytes: SealingCipher.newKey())
    }

    /// Distinguishes keys with the same name. The bytes cannot be computed from it.
    var fingerprint: String {
        SHA256.hash(data: Data("backstitch.fingerprint".utf8) + bytes).prefix(8).hexadecimal
    }

    static func isID(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the key only.
    public var description: String { "encryption key \"\(id)\"" }
    /// The name of the key only.
    public var debugDescription: String { description }
    /// A mirror with the name only.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
