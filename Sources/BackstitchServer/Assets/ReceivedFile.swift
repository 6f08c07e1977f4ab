import Crypto
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that has come whole and is safe on disk.
struct ReceivedFile: Sendable {
    var file: URL
    var checksum: AssetChecksum
    var size: Int64

    /// Takes the file out of the folder of what comes in; where it was given a place it stays there.
    func discard() { unlink(file.path) }
}

/// Writes a file while it comes in, and digests it on the way.
///
/// Not shared: one request owns it. Its calls block, so they run on a ``WorkRunner``.
struct IncomingFile: Sendable {
    private let file: URL
    private let descriptor: Int32
    private var digest = SHA256()
    private(set) var size: Int64 = 0

    init(_ file: URL) throws {
        self.file = file
        descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError.last("open", file.path) }
    }

    mutating func write(_ bytes: [UInt8]) throws {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                Darwin.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
                #elseif canImport(Glibc)
                Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
                #elseif canImport(Musl)
                Musl.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError.last("write", file.path) }
            written += count
        }
        digest.update(data: bytes)
        size += Int64(bytes.count)
    }

    /// Makes the file safe and closes it.
    ///
    /// - Throws: ``SystemError``; then the file is still open, to be discarded like any that did not come whole.
    func finish() throws -> ReceivedFile {
        guard fsync(descriptor) == 0 else { throw SystemError.last("fsync", file.path) }
        close(descriptor)
        return ReceivedFile(file: file, checksum: AssetChecksum(digest.finalize()), size: size)
    }

    /// Closes and removes a file that is not finished. Call once.
    func discard() {
        close(descriptor)
        unlink(file.path)
    }
}
