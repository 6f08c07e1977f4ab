import BackstitchSupport
public import Foundation

/// Bytes that a store is to keep outside its rows: in memory, or in a file that is read piece by piece.
public enum AssetContent: Sendable, Hashable {
    /// Bytes in memory.
    case data(Data)
    /// Bytes in a file.
    case file(AssetFile)

    /// Length in bytes.
    public var size: Int64 {
        switch self {
        case .data(let data): Int64(data.count)
        case .file(let file): file.reference.size
        }
    }

    /// Whether the bytes can be had: a file may have gone.
    var isThere: Bool {
        switch self {
        case .data: true
        case .file(let file): FileCalls.size(of: file.url.path) == size
        }
    }

    /// The value of an object that is not saved yet.
    var value: Value {
        switch self {
        case .data(let data): .data(data)
        case .file(let file): .file(file)
        }
    }

    /// Some of the bytes: those of `range` that there are. Those of a file are not compared with its name.
    package func data(in range: Range<Int64>) throws -> Data {
        let part = range.clamped(to: 0..<max(size, 0))
        switch self {
        case .data(let data): return Data(data.dropFirst(Int(part.lowerBound)).prefix(part.count))
        case .file(let file):
            return try AssetFile.reading(file.url) { try $0.read(at: part.lowerBound, upTo: part.count) }
        }
    }

    /// Calls `body` with a megabyte after the other.
    package func forEachPiece(_ body: (Data) throws -> Void) throws {
        switch self {
        case .data(let data):
            for start in stride(from: 0, to: data.count, by: 1 << 20) {
                try body(data.dropFirst(start).prefix(1 << 20))
            }
        case .file(let file): try file.forEachPiece(body)
        }
    }

    /// All bytes, in memory.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` when the file cannot be read, or has other content by now.
    public func data() throws(BackstitchError) -> Data {
        switch self {
        case .data(let data): data
        case .file(let file): try file.data()
        }
    }
}

/// Bytes of external attributes by the names that rows give them.
public typealias AssetContents = [AssetReference: AssetContent]
