import Backstitch
import Foundation

/// Encrypts an asset's bytes as they come, and keeps at most one frame of them.
struct AssetSealer {
    private let key: Data
    private var number: UInt64 = 0
    private var rest = Data()

    init(_ key: AssetContentKey) { self.key = key.bytes }

    /// Takes the next bytes, and returns the encrypted frames completed by them.
    mutating func update(_ data: Data) throws -> Data {
        rest += data
        var sealed = Data()
        var start = rest.startIndex
        // Only the end shows which frame is the last one.
        while rest.endIndex - start > AssetFrames.frameSize {
            sealed += try frame(rest[start..<start + AssetFrames.frameSize], isLast: false)
            start += AssetFrames.frameSize
        }
        rest = Data(rest[start...])
        return sealed
    }

    /// Encrypts the remaining bytes as the last frame.
    mutating func finish() throws -> Data { try frame(rest, isLast: true) }

    private mutating func frame(_ plain: Data, isLast: Bool) throws -> Data {
        let nonce = AssetFrames.nonce(number, isLast: isLast)
        number += 1
        // Both sides know the nonce of a frame, so it is not sent.
        return try SealingCipher.seal(plain, with: key, nonce: nonce).dropFirst(nonce.count)
    }
}
