package import Foundation

/// The content of a file that is to be written: bytes in memory, or another file, which is copied piece by piece.
package enum FileContent: Sendable {
    /// Bytes in memory.
    case data(Data)
    /// A file of so many bytes, with that checksum where it is known.
    case file(path: String, size: Int64, checksum: AssetChecksum?)

    /// The file is not what it was when somebody named its content.
    package struct Changed: Error {
        /// Where the file is.
        package let path: String
    }

    /// Length in bytes.
    package var size: Int64 {
        switch self {
        case .data(let data): Int64(data.count)
        case .file(_, let size, _): size
        }
    }

    /// Writes it to an open file.
    ///
    /// - Throws: ``Changed`` when the file's content is another by now, and the system's errors.
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
