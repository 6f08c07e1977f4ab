import Backstitch
import BackstitchSupport
import Foundation

/// The bytes of an upload that goes in parts: those of a file of the store, or of a file that was made of them for this
/// upload. A store without files gives them as they are.
struct UploadBytes: Sendable {
    /// The name of the bytes that go, as the server will give it.
    let checksum: String
    let size: Int64
    private let content: AssetContent
    /// The download whose name the made file has.
    private let made: AssetReference?

    /// The bytes of an asset; nil when they are not here. It blocks while it encrypts them.
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

    /// Bytes that are in memory.
    init(_ data: Data, as reference: AssetReference) {
        self.init(.data(data), made: nil, checksum: reference.checksum)
    }

    private init(_ content: AssetContent, made: AssetReference?, checksum: String) {
        self.content = content
        self.made = made
        self.checksum = checksum
        size = content.size
    }

    /// Some of the bytes.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/asset`` when the file has gone, or is shorter.
    func part(_ range: Range<Int64>) throws -> [UInt8] {
        let part = try content.data(in: range)
        guard part.count == range.count else {
            throw BackstitchError(.asset, "the file of an asset has become shorter while it was sent")
        }
        return [UInt8](part)
    }

    /// Removes the file that was made.
    func remove(from partials: PartialDownloads) throws {
        if let made { try partials.remove(made) }
    }
}
