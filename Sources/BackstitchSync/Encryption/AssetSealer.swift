import Backstitch
import Foundation

/// Encrypts an asset's bytes as they come, and holds a frame of them at most.
struct AssetSealer {
    private let key: Data
    private var number: UInt64 = 0
    private var rest = Data()

    init(_ key: AssetContentKey) { self.key = key.bytes }

    /// Takes the next bytes, and gives the frames that are whole with them.
    mutating func update(_ data: Data) throws -> Data {
        rest += data
        var sealed = Data()
        var start = rest.startIndex
        // The last frame is known as such at the end alone.
        while rest.endIndex - start > AssetFrames.frameSize {
            sealed += try frame(rest[start..<start + AssetFrames.frameSize], isLast: false)
            start += AssetFrames.frameSize
        }
        rest = Data(rest[start...])
        return sealed
    }

    /// The last frame.
    mutating func finish() throws -> Data { try frame(rest, isLast: true) }

    private mutating func frame(_ plain: Data, isLast: Bool) throws -> Data {
        let nonce = AssetFrames.nonce(number, isLast: isLast)
        number += 1
        // Both sides know the nonce of a frame: it is not sent.
        return try SealingCipher.seal(plain, with: key, nonce: nonce).dropFirst(nonce.count)
    }
}
