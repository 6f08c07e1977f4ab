import Backstitch
import BackstitchSupport
public import Foundation

/// The public half of a user's ``ShareIdentity``. Keys of shared zones are sealed for it. Only this user can open them.
///
/// ```swift
/// for participant in share.participants { print(participant.keyFingerprint ?? "none") }
/// ```
/// The server knows the key, and could give a false one. To exclude this, two people can compare ``fingerprint`` over
/// another channel, for instance by telephone.
public struct SharePublicKey: Sendable, Hashable, CustomStringConvertible {
    /// The number of the kind of key: X25519 (RFC 7748).
    private static let kind: UInt8 = 1
    /// The key itself, 32 bytes.
    let raw: Data

    init(raw: Data) { self.raw = Data(raw) }

    /// Reads the bytes of ``data``.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/invalidValue`` for other bytes, including a key of a later version.
    ///   Also for the few points that give the same secret with every private key.
    public init(data: Data) throws {
        guard data.count == 33, data.first == Self.kind else {
            throw BackstitchError(
                .invalidValue,
                "\(data.count) bytes are not a public key that this version knows; such a key has 33 bytes")
        }
        self.init(raw: data.dropFirst())
        guard KeyAgreement.isUsable(raw) else {
            throw BackstitchError(.invalidValue, "the public key is a point that gives no shared secret")
        }
    }

    /// 33 bytes: one for the kind of key, and the key.
    public var data: Data { Data([Self.kind]) + raw }

    /// 128 bits of the key's hash (SHA-256) for comparison by people: eight groups of four digits, `5f1c 22ab …`.
    public var fingerprint: String {
        let digits = Array(SHA256.hash(data: Data("backstitch.share".utf8) + data).prefix(16).hexadecimal)
        return stride(from: 0, to: digits.count, by: 4).map { String(digits[$0..<($0 + 4)]) }.joined(separator: " ")
    }

    /// The fingerprint of the key.
    public var description: String { fingerprint }

    /// Reads a participant's key in its wire form.
    init?(wireText: String?) {
        guard let wireText, let data = Data(base64Encoded: wireText), let key = try? Self(data: data) else {
            return nil
        }
        self = key
    }

    var wireText: String { data.base64EncodedString() }
}
