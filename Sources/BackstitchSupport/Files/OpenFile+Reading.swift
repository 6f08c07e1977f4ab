package import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension OpenFile {
    /// Fills `buffer` from an offset of the file, and returns the number of bytes read: fewer only at the end of the
    /// file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let read = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(count))
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw SystemError.last("read", path) }
            if read == 0 { break }
            count += read
        }
        return count
    }

    /// Reads up to `count` bytes from an offset of the file; fewer only at its end.
    package func read(at offset: Int64, upTo count: Int) throws -> Data {
        var data = Data(count: count)
        let read = try data.withUnsafeMutableBytes { try self.read(into: $0, at: offset) }
        return read == count ? data : data.prefix(read)
    }

    /// Calls `body` with one piece of the file after another, from the first byte to the last.
    ///
    /// - Parameter size: The bytes of a piece; the last one has the rest.
    package func forEachPiece(
        of size: Int = 1 << 20, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = try read(into: buffer, at: offset)
            if count > 0 { try body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            if count < size { return }
            offset += Int64(count)
        }
    }
}

extension AssetChecksum {
    /// Computes the checksum and the length of an open file. Takes a megabyte of memory for any length.
    package static func reading(_ file: OpenFile) throws -> (checksum: AssetChecksum, size: Int64) {
        var hash = SHA256()
        var size: Int64 = 0
        try file.forEachPiece { piece in
            hash.update(bufferPointer: piece)
            size += Int64(piece.count)
        }
        return (AssetChecksum(hash.finalize()), size)
    }
}
