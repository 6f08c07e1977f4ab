import BackstitchSupport
import Foundation

/// The token of an app on a device, given by APNs. The app gives it to the server by `tokens/register`.
struct WakeToken: Sendable, Hashable {
    /// Bytes of a token. They are 32 today, and Apple says they may become more.
    static let lengths = 32...100

    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a token from text.
    ///
    /// - Parameter text: Hexadecimal digits, as most apps write it, or base64.
    /// - Returns: nil for any other text.
    init?(_ text: String) {
        guard text.utf8.count <= 2 * Self.lengths.upperBound, text.utf8.count >= 40 else { return nil }
        guard let bytes = [UInt8](hexadecimal: text) ?? Data(base64Encoded: text).map(Array.init),
            Self.lengths.contains(bytes.count)
        else { return nil }
        self.bytes = bytes
    }

    /// The token in the form for requests to APNs.
    var text: String { bytes.hexadecimal }

    /// The digest of the token, the same for both written forms. It does not reveal the token.
    var digest: TokenDigest { TokenDigest(of: text) }
}
