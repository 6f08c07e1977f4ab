import BackstitchSupport
public import Foundation

/// Bytes for storage outside the rows: in memory, or in a file that is read piece by piece.
public enum AssetContent: Sendable, Hashable {
    /// Bytes in memory, of any length.
    case data(Data)
    /// Bytes in a file, read when they are needed.
    case file(AssetFile)

    /// The length of the content in bytes.
    public var size: Int64 {
        switch self {
        case .data(let data): Int64(data.count)
        case .file(let file): file.reference.size
        }
    }

    /// Whether the bytes are available: a file may have been deleted or changed.
    var isThere: Bool {
        switch self {
        case .data: true
        case .file(let file): FileCalls.size(of: file.url.path) == size
        }
    }

    /// The value of an unsaved object with this content.
    var value: Value {
        switch self {
        case .data(let data): .data(data)
        case .file(let file): .file(file)
        }
    }

    /// Reads the existing bytes within `range`. The bytes of a file are not compared with its checksum.
    package func data(in range: Range<Int64>) throws -> Data {
        let part = range.clamped(to: 0..<max(size, 0))
        switch self {
        case .data(let data): return Data(data.dropFirst(Int(part.lowerBound)).prefix(part.count))
        case .file(let file):
            return try AssetFile.reading(file.url) { try $0.read(at: part.lowerBound, upTo: part.count) }
        }
    }

    /// Calls `body` with one megabyte after another.
    package func forEachPiece(_ body: (Data) throws -> Void) throws {
        switch self {
        case .data(let data):
            for start in stride(from: 0, to: data.count, by: 1 << 20) {
                try body(data.dropFirst(start).prefix(1 << 20))
            }
        case .file(let file): try file.forEachPiece(body)
        }
    }

    /// Reads all bytes into memory.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` if the file cannot be read, or has changed.
    public func data() throws(BackstitchError) -> Data {
        switch self {
        case .data(let data): data
        case .file(let file): try file.data()
        }
    }
}

/// Bytes of external attributes, by the references in rows.
public typealias AssetContents = [AssetReference: AssetContent]
