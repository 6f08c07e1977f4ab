import BackstitchSupport
import Foundation

/// The SHA-256 of a secret token. A server can recognise the token by it, but a thief cannot call with it.
public struct TokenDigest: Sendable, Hashable {
    let bytes: [UInt8]
    /// The reason why the token protects nothing; nil if none is visible.
    let weakness: TokenWeakness?

    /// Creates the digest of a token. The token itself is not kept. A server refuses tokens of less than 22 characters,
    /// the length of 128 random bits in base64. It also refuses repetitive tokens, and tokens printed in documents.
    public init(of token: String) {
        bytes = SHA256.hash(data: Data(token.utf8))
        weakness = TokenWeakness(of: token, sha256: bytes)
    }

    /// Creates the digest of a token in a request. The token's strength matters only if the token is known.
    init(presented token: String) {
        bytes = SHA256.hash(data: Data(token.utf8))
        weakness = nil
    }

    /// Creates a digest from its stored text.
    ///
    /// - Parameter sha256: 64 hexadecimal digits; nil is returned for anything else.
    public init?(sha256: String) {
        guard let bytes = [UInt8](hexadecimal: sha256), bytes.count == 32 else { return nil }
        self.init(bytes: bytes)
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
        weakness = TokenWeakness.isPrinted(bytes) ? .printed : nil
    }

    /// The digest as 64 hexadecimal digits.
    public var sha256: String { bytes.hexadecimal }

    /// Whether both digests belong to the same token.
    public static func == (left: TokenDigest, right: TokenDigest) -> Bool { left.matches(right) }

    /// Hashes the bytes that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Compares two digests in constant time, so the time does not reveal the first difference.
    func matches(_ other: TokenDigest) -> Bool {
        constantTimeEquals(bytes, other.bytes)
    }
}

/// Compares byte strings of equal length in a time that depends on the length alone.
func constantTimeEquals(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (one, other) in zip(left, right) { difference |= one ^ other }
    return difference == 0
}

extension Sequence<TokenDigest> {
    /// Whether one of these tokens is the given one. All are compared, so the time does not reveal the matching one.
    func hasMatch(_ token: TokenDigest) -> Bool { reduce(false) { $1.matches(token) || $0 } }
}
