import BackstitchSupport
import Foundation

/// The key for the bytes of one asset. It is made for this asset and never used for anything else.
struct AssetContentKey: Sendable {
    static let size = 32
    let bytes: Data

    /// A new key, from the system's random generator.
    init() { bytes = SealingCipher.newKey() }

    init?(bytes: Data) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Data(bytes)
    }

    /// The name of the ciphertext among incomplete downloads. It does not reveal the key.
    var downloadName: String {
        "sealed:"
            + Data(SHA256.hash(data: Data("backstitch.download".utf8) + bytes).prefix(20)).base64EncodedString()
    }
}
