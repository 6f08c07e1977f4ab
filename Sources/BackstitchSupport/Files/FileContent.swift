package import Foundation

/// Content for a new file: bytes in memory, or another file, copied piece by piece.
package enum FileContent: Sendable {
    /// The content in memory.
    case data(Data)
    /// A file of `size` bytes, with its checksum if that is known.
    case file(path: String, size: Int64, checksum: AssetChecksum?)

    /// The file has changed since its content was named.
    package struct Changed: Error {
        /// The path of the changed file.
        package let path: String
    }

    /// The length of the content in bytes.
    package var size: Int64 {
        switch self {
        case .data(let data): Int64(data.count)
        case .file(_, let size, _): size
        }
    }

    /// Writes the content to an open file.
    ///
    /// - Throws: ``Changed`` if the file's content has changed by now, and the system's errors.
    func write(to target: OpenFile) throws {
        switch self {
        case .data(let data): try target.write(data)
        case .file(let path, let size, let checksum):
            guard let source = FileCalls.open(path) else { throw SystemError.last("open", path) }
            defer { source.close() }
            var hash = SHA256()
            var count: Int64 = 0
            try source.forEachPiece { piece in
                count += Int64(piece.count)
                guard count <= size else { throw Changed(path: path) }
                hash.update(bufferPointer: piece)
                try target.write(piece)
            }
            guard count == size, checksum.map({ $0 == AssetChecksum(hash.finalize()) }) ?? true else {
                throw Changed(path: path)
            }
        }
    }
}
