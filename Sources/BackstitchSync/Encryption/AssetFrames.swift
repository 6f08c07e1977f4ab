import Backstitch
import Foundation

/// The form of an encrypted asset's bytes: frames of 64 KiB, each under AES-256-GCM with a tag of its own, so that
/// neither side needs all of the bytes at once.
///
/// The nonce of a frame is its number (8 bytes, big-endian), three zero bytes, and 1 in the last frame or 0 in others:
/// the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár 2015). Frames that are missing, doubled, in another
/// order or cut off at the end are found out. Numbers never repeat, since each asset has a key of its own.
enum AssetFrames {
    /// Bytes of the plaintext in each frame but the last.
    static let frameSize = 64 << 10
    static let tagSize = SealingCipher.tagSize
    /// Bytes that are taken at once of an asset that is there as a whole.
    private static let pieceSize = 1 << 20

    /// Bytes of the ciphertext of so many bytes. An empty asset is one empty frame.
    static func sealedSize(_ size: Int64) -> Int64 {
        let frame = Int64(frameSize)
        let frames = size <= 0 ? 1 : (size - 1) / frame + 1
        return size + frames * Int64(tagSize)
    }

    static func nonce(_ number: UInt64, isLast: Bool) -> Data {
        var bytes = withUnsafeBytes(of: number.bigEndian) { Data($0) }
        bytes += [0, 0, 0, isLast ? 1 : 0]
        return bytes
    }

    private static func pieces(of data: Data) -> some Sequence<Data> {
        stride(from: data.startIndex, to: data.endIndex, by: pieceSize).lazy.map {
            data[$0..<min($0 + pieceSize, data.endIndex)]
        }
    }

    /// The ciphertext of bytes that are there as a whole.
    static func seal(_ data: Data, with key: AssetContentKey) throws -> Data {
        var sealer = AssetSealer(key), sealed = Data(capacity: Int(sealedSize(Int64(data.count))))
        for piece in pieces(of: data) { sealed += try sealer.update(piece) }
        sealed += try sealer.finish()
        return sealed
    }

    /// The plaintext of bytes that are there as a whole.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/asset`` when they are not what was encrypted.
    static func open(_ data: Data, with key: AssetContentKey) throws -> Data {
        var opener = AssetOpener(key), plain = Data(capacity: data.count)
        for piece in pieces(of: data) { plain += try opener.update(piece) }
        plain += try opener.finish()
        return plain
    }
}
