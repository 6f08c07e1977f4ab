import BackstitchSupport
import Foundation

/// The key of the bytes of one asset, made for it and used for nothing else.
struct AssetContentKey: Sendable {
    static let size = 32
    let bytes: Data

    /// A new key, from the system's generator.
    init() { bytes = SealingCipher.newKey() }

    init?(bytes: Data) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Data(bytes)
    }

    /// Names the ciphertext among downloads that are not whole yet, and does not tell the key.
    var downloadName: String {
        "sealed:"
            + Data(SHA256.hash(data: Data("backstitch.download".utf8) + bytes).prefix(20)).base64EncodedString()
    }
}
