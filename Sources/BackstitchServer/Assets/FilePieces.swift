import BackstitchSupport
import Foundation
import NIOCore

/// A stretch of a file in pieces, for the body of a request.
///
/// The last piece is given only if the digest of the stretch is right. So a store never receives all of a wrong
/// content.
struct FilePieces: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    /// The error for a file that has changed since its receipt, by damage of the disk.
    struct Changed: Error, CustomStringConvertible {
        let file: URL
        var description: String { "'\(file.path)' differs from the bytes that were received; the disk has damaged it" }
    }

    /// The bytes of one piece.
    static let piece: Int64 = 256 << 10

    let file: URL
    let range: Range<Int64>
    /// The SHA-256 of the stretch.
    let digest: [UInt8]
    let runner: any WorkRunner

    /// The bytes of the stretch.
    var count: Int64 { range.upperBound - range.lowerBound }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: self, offset: range.lowerBound) }

    /// Reads the pieces one after the other, and checks the digest at the end.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate let pieces: FilePieces
        fileprivate var offset: Int64
        fileprivate var digest = SHA256()

        mutating func next() async throws -> ByteBuffer? {
            guard offset < pieces.range.upperBound else { return nil }
            let data = try await FilePieces.read(
                pieces.file, offset..<Swift.min(offset + FilePieces.piece, pieces.range.upperBound), pieces.runner)
            digest.update(data: data)
            offset += Int64(data.count)
            if offset == pieces.range.upperBound, digest.finalize() != pieces.digest {
                throw Changed(file: pieces.file)
            }
            return ByteBuffer(bytes: data)
        }
    }

    /// The digest of a stretch. Its bytes are also added to `whole`.
    static func digest(
        of file: URL, _ range: Range<Int64>, _ whole: inout SHA256, _ runner: any WorkRunner
    ) async throws -> [UInt8] {
        var digest = SHA256()
        var offset = range.lowerBound
        while offset < range.upperBound {
            let data = try await read(file, offset..<Swift.min(offset + piece, range.upperBound), runner)
            digest.update(data: data)
            whole.update(data: data)
            offset += Int64(data.count)
        }
        return digest.finalize()
    }

    /// Reads a range of a file. The file is opened for each piece, so it is closed while the piece is sent, or if the
    /// request is abandoned.
    static func read(_ file: URL, _ range: Range<Int64>, _ runner: any WorkRunner) async throws -> Data {
        try await runner.run {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            try handle.seek(toOffset: UInt64(range.lowerBound))
            let count = Int(range.upperBound - range.lowerBound)
            guard let data = try handle.read(upToCount: count), data.count == count else { throw Changed(file: file) }
            return data
        }
    }
}
