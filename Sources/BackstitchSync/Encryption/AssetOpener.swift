import Backstitch
import Foundation

/// Decrypts an asset's bytes as they come, and keeps at most one frame of them. All returned bytes are genuine. Only
/// ``finish()`` shows that they are complete.
struct AssetOpener {
    private let key: Data
    private var number: UInt64 = 0
    private var rest = Data()

    init(_ key: AssetContentKey) { self.key = key.bytes }

    /// Takes the next bytes, and returns the plaintext of the frames completed by them.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/asset`` for a frame that was changed after encryption.
    mutating func update(_ data: Data) throws -> Data {
        rest += data
        let size = AssetFrames.frameSize + AssetFrames.tagSize
        var plain = Data()
        var start = rest.startIndex
        while rest.endIndex - start > size {
            plain += try frame(rest[start..<start + size], isLast: false)
            start += size
        }
        rest = Data(rest[start...])
        return plain
    }

    /// The bytes of the last frame.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/asset`` if the remaining bytes are not the last frame.
    mutating func finish() throws -> Data { try frame(rest, isLast: true) }

    private mutating func frame(_ sealed: Data, isLast: Bool) throws -> Data {
        do {
            let plain = try SealingCipher.open(AssetFrames.nonce(number, isLast: isLast) + sealed, with: key)
            number += 1
            return plain
        } catch {
            throw BackstitchError(
                .asset,
                "the bytes of an encrypted asset differ from those that were encrypted: frame \(number)"
                    + (isLast ? ", the last one," : "") + " was changed, or bytes are missing", cause: error)
        }
    }
}
