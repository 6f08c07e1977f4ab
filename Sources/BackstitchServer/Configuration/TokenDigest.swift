import Crypto
import Foundation

/// The SHA-256 of a secret token: enough to recognise the token, of no use to present it.
public struct TokenDigest: Sendable, Hashable {
    let bytes: [UInt8]

    /// The digest of a token, which is not kept.
    public init(of token: String) {
        bytes = Array(SHA256.hash(data: Data(token.utf8)))
    }

    /// A digest that was made before.
    ///
    /// - Parameter sha256: 64 hexadecimal digits; nil is returned for anything else.
    public init?(sha256: String) {
        var result: [UInt8] = []
        guard sha256.utf8.count == 64 else { return nil }
        var rest = Substring(sha256)
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            result.append(byte)
            rest = rest.dropFirst(2)
        }
        guard result.count == 32 else { return nil }
        bytes = result
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

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
