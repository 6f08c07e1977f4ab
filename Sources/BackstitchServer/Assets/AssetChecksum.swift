import Crypto
import Foundation

/// Names an asset by its content: the byte 1 and the first 20 bytes of the content's SHA-256.
struct AssetChecksum: Sendable, Hashable {
    static let length = 21

    let bytes: [UInt8]

    /// - Parameter bytes: 21 bytes that came from a checksum before.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(_ digest: SHA256.Digest) {
        bytes = [1] + digest.prefix(20)
    }

    /// The checksum that a text of the wire holds, or nil.
    init?(wire: String) {
        guard let data = Data(base64Encoded: wire), data.count == Self.length, data.first == 1 else { return nil }
        bytes = Array(data)
    }

    /// The checksum that a file name or an address holds, or nil.
    init?(hexadecimal: some StringProtocol) {
        guard hexadecimal.utf8.count == 2 * Self.length else { return nil }
        var result: [UInt8] = []
        var rest = Substring(hexadecimal)
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16), rest.first?.isHexDigit == true else { return nil }
            result.append(byte)
            rest = rest.dropFirst(2)
        }
        guard result.first == 1 else { return nil }
        bytes = result
    }

    var data: Data { Data(bytes) }
    var wire: String { data.base64EncodedString() }

    var hexadecimal: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }
}
