import Backstitch
import Foundation

/// The form of an encrypted asset's bytes: frames of 64 KiB, each encrypted by AES-256-GCM with its own tag. So neither
/// side needs all bytes at once.
///
/// The nonce of a frame is its number (8 bytes, big-endian), three zero bytes, and 1 in the last frame or 0 in others.
/// This is the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár 2015). It detects missing, doubled and
/// reordered frames, and a cut at the end. A nonce never repeats, since each asset has its own key.
enum AssetFrames {
    /// The plaintext bytes in each frame except the last.
    static let frameSize = 64 << 10
    static let tagSize = SealingCipher.tagSize
    /// The size of the pieces, in bytes, for an asset that is in memory as a whole.
    private static let pieceSize = 1 << 20

    /// The number of ciphertext bytes for this number of plaintext bytes. An empty asset is one empty frame.
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

    /// Encrypts bytes that are in memory as a whole.
    static func seal(_ data: Data, with key: AssetContentKey) throws -> Data {
        var sealer = AssetSealer(key), sealed = Data(capacity: Int(sealedSize(Int64(data.count))))
        for piece in pieces(of: data) { sealed += try sealer.update(piece) }
        sealed += try sealer.finish()
        return sealed
    }

    /// Decrypts bytes that are in memory as a whole.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/asset`` if they were changed after encryption.
    static func open(_ data: Data, with key: AssetContentKey) throws -> Data {
        var opener = AssetOpener(key), plain = Data(capacity: data.count)
        for piece in pieces(of: data) { plain += try opener.update(piece) }
        plain += try opener.finish()
        return plain
    }
}
