import Backstitch
import BackstitchSupport
import Foundation

/// The bytes of an upload in parts: a file of the store, or a file that was encrypted for this upload. A store without
/// files has them in memory.
struct UploadBytes: Sendable {
    /// The checksum of the bytes to send, as the server will compute it.
    let checksum: String
    let size: Int64
    private let content: AssetContent
    /// The name of the file that was made for this upload.
    private let made: AssetReference?

    /// Opens the bytes of an asset; nil if they are not here. It blocks while it encrypts them.
    init?(
        _ reference: AssetReference, in storage: any AssetStorage, sealedWith key: AssetContentKey?,
        _ partials: PartialDownloads
    ) throws {
        guard let content = try storage.content(of: reference) else { return nil }
        guard let key else {
            self.init(content, made: nil, checksum: reference.checksum)
            return
        }
        let name = AssetReference(checksum: "sealed \(key.downloadName)", size: AssetFrames.sealedSize(reference.size))
        var hash = SHA256(), plainHash = SHA256()
        let file = try partials.makeFile(for: name) { file in
            var sealer = AssetSealer(key)
            try content.forEachPiece {
                plainHash.update(data: $0)
                let sealed = try sealer.update($0)
                hash.update(data: sealed)
                try file.write(sealed)
            }
            let last = try sealer.finish()
            hash.update(data: last)
            try file.write(last)
            let own = AssetChecksum(wire: reference.checksum)
            guard own == nil || own == AssetChecksum(plainHash.finalize()) else {
                throw BackstitchError(
                    .asset,
                    "the file of asset \(reference.checksum) is damaged, and is not sent; set the attribute anew",
                    key: reference.checksum)
            }
        }
        if let file {
            self.init(.file(AssetFile(file, as: name)), made: name, checksum: AssetChecksum(hash.finalize()).wire)
        } else {
            let sealed = try AssetFrames.seal(content.data(), with: key)
            self.init(.data(sealed), made: nil, checksum: AssetChecksum(contentOf: sealed).wire)
        }
    }

    /// Wraps bytes that are in memory.
    init(_ data: Data, as reference: AssetReference) {
        self.init(.data(data), made: nil, checksum: reference.checksum)
    }

    private init(_ content: AssetContent, made: AssetReference?, checksum: String) {
        self.content = content
        self.made = made
        self.checksum = checksum
        size = content.size
    }

    /// Returns some of the bytes.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/asset`` when the file is gone, or is shorter.
    func part(_ range: Range<Int64>) throws -> [UInt8] {
        let part = try content.data(in: range)
        guard part.count == range.count else {
            throw BackstitchError(.asset, "the file of an asset has become shorter while it was sent")
        }
        return [UInt8](part)
    }

    /// Removes the file that was made for this upload.
    func remove(from partials: PartialDownloads) throws {
        if let made { try partials.remove(made) }
    }
}
