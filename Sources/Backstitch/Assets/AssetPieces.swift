import BackstitchSupport
public import Foundation

/// The bytes of an asset, piece by piece: `for try await piece in asset.pieces { … }`.
///
/// A file is open from the first piece to the last, so content deleted meanwhile is still read to its end.
public struct AssetPieces: AsyncSequence, Sendable {
    /// The bytes of a piece; the last one has the rest.
    public static let size = 1 << 20

    private static let readers = WorkerPool(name: "Backstitch.assets", limit: 8)

    private let asset: Asset

    init(_ asset: Asset) { self.asset = asset }

    /// Makes an iterator that starts at the first byte.
    public func makeAsyncIterator() -> Iterator { Iterator(asset) }

    /// An iterator over the pieces of an asset.
    public struct Iterator: AsyncIteratorProtocol {
        private let asset: Asset
        private var file: ReadFile?
        private var offset: Int64 = 0

        init(_ asset: Asset) { self.asset = asset }

        /// Reads the next piece; nil after the last.
        ///
        /// - Throws: ``BackstitchError/Code/asset`` if the bytes are not on this device, or too few.
        public mutating func next() async throws -> Data? {
            try Task.checkCancellation()
            guard offset < asset.size else { return nil }
            let (asset, known, offset) = (asset, file, offset)
            let (piece, opened) = try await AssetPieces.readers.run {
                let file = try known ?? asset.url.map(ReadFile.init)
                let range = offset..<Swift.min(offset + Int64(AssetPieces.size), asset.size)
                let piece = try file?.read(range) ?? asset.data(in: range)
                guard piece.count == range.count else {
                    throw BackstitchError(
                        .asset,
                        "asset \(asset.checksum) ends after \(offset + Int64(piece.count)) of \(asset.size) bytes",
                        key: asset.checksum)
                }
                return (piece, file)
            }
            file = opened
            self.offset += Int64(piece.count)
            return piece
        }
    }

    /// A file, open as long as an iterator reads it.
    private final class ReadFile: Sendable {
        private let file: OpenFile

        init(_ url: URL) throws {
            guard let file = FileCalls.open(url.path) else {
                throw BackstitchError.cannotRead(url, SystemError.last("open", url.path))
            }
            self.file = file
        }

        deinit { file.close() }

        func read(_ range: Range<Int64>) throws -> Data { try file.read(at: range.lowerBound, upTo: range.count) }
    }
}
