import Backstitch
import BackstitchSupport
public import Foundation

/// A key of 256 bits with which values are encrypted (AES-GCM), and the name by which each value says that it needs it.
///
/// ```swift
/// let key = try EncryptionKey(id: "2026-01", bytes: bytes)  // 32 bytes, from the program's key chain
/// ```
/// The server sees the name, and never the bytes; neither does a description, a log or a mirror.
public struct EncryptionKey: Sendable {
    /// Its name: 1 to 64 letters, digits, dots, hyphens or underscores. Other bytes need another name.
    public let id: String
    let bytes: Data

    /// A key.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/invalidValue`` for another number of bytes than 32, or a name
    ///   that is none.
    public init(id: String, bytes: Data) throws {
        guard Self.isID(id) else {
            throw BackstitchError(
                .invalidValue,
                "\"\(id)\" names no encryption key: a name is 1 to 64 letters, digits, dots, hyphens or underscores")
        }
        guard bytes.count == 32 else {
            throw BackstitchError(
                .invalidValue, "the encryption key \"\(id)\" has \(bytes.count) bytes, where AES-256 takes 32")
        }
        self.id = id
        // Not a slice, whose indices begin elsewhere.
        self.bytes = Data(bytes)
    }

    /// A new key, from the system's generator.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/invalidValue`` for a name that is none.
    public static func generated(id: String) throws -> EncryptionKey {
        try EncryptionKey(id: id, bytes: SealingCipher.newKey())
    }

    /// Tells it from another key of its name; the bytes cannot be had from it.
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
    /// Its name alone.
    public var description: String { "encryption key \"\(id)\"" }
    /// Its name alone.
    public var debugDescription: String { description }
    /// Nothing but its name.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
