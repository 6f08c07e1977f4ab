import BackstitchSupport
import Foundation

/// The SHA-256 of a secret token: enough to recognise the token, of no use to present it.
public struct TokenDigest: Sendable, Hashable {
    let bytes: [UInt8]
    /// Why the token keeps nobody out; nil as far as that can be seen.
    let weakness: TokenWeakness?

    /// The digest of a token, which is not kept. A server refuses tokens of less than 22 characters, which is what 128
    /// random bits take, tokens that repeat themselves, and those that are printed in documents.
    public init(of token: String) {
        bytes = SHA256.hash(data: Data(token.utf8))
        weakness = TokenWeakness(of: token, sha256: bytes)
    }

    /// The digest of a token that came with a request, whose strength matters only when it is known.
    init(presented token: String) {
        bytes = SHA256.hash(data: Data(token.utf8))
        weakness = nil
    }

    /// A digest that was made before.
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

    /// Whether both are of the same token.
    public static func == (left: TokenDigest, right: TokenDigest) -> Bool { left.matches(right) }

    /// Takes what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Compares in a time that does not tell where two digests differ.
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
