import BackstitchSupport
import Foundation

/// The token by which APNs knows an app on a device. The app gives it to the server by `tokens/register`.
struct WakeToken: Sendable, Hashable {
    /// Bytes of a token. They are 32 today, and Apple says that they may become more.
    static let lengths = 32...100

    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameter text: Hexadecimal digits, as most apps write it, or base64.
    /// - Returns: nil for any other text.
    init?(_ text: String) {
        guard text.utf8.count <= 2 * Self.lengths.upperBound, text.utf8.count >= 40 else { return nil }
        guard let bytes = [UInt8](hexadecimal: text) ?? Data(base64Encoded: text).map(Array.init),
            Self.lengths.contains(bytes.count)
        else { return nil }
        self.bytes = bytes
    }

    /// The token as it stands in a request to APNs.
    var text: String { bytes.hexadecimal }

    /// Names the token without giving it away, however it was written.
    var digest: TokenDigest { TokenDigest(of: text) }
}
