package import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An open file. The code that opens it also closes it.
package struct OpenFile: Sendable {
    package let descriptor: Int32
    package let path: String

    /// Writes all of `data`, even if the system accepts it in parts.
    package func write(_ data: some ContiguousBytes) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let written = systemWrite(rest)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw SystemError.last("write", path) }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
        }
    }

    /// Reads everything from the current position to the end.
    package func readToEnd() throws -> Data {
        do { return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() ?? Data() } catch {
            throw SystemError(call: "read", action: "read", path: path, cause: error)
        }
    }

    /// Removes all bytes, which frees their room on the disk.
    package func empty() throws {
        while ftruncate(descriptor, 0) != 0 {
            guard errno == EINTR else { throw SystemError.last("ftruncate", path, to: "empty") }
        }
    }

    /// Makes the bytes durable.
    package func sync() throws {
        #if canImport(Darwin)
        // On Apple's systems fsync does not reach the disk's platters. A file system without this call falls back to
        // fsync.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw SystemError.last("fsync", path, to: "sync") }
    }

    /// Takes the lock; waits until other holders release it.
    package func lock(isShared: Bool = false) throws {
        while flock(descriptor, isShared ? LOCK_SH : LOCK_EX) != 0 {
            guard errno == EINTR else { throw SystemError.last("flock", path, to: "lock") }
        }
    }

    /// Releases the lock, and leaves the file open.
    package func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Takes the lock, or changes its mode, if no other holder excludes that; otherwise `errno` gives the reason.
    package func tryLock(isShared: Bool = false) -> Bool {
        flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0
    }

    /// Closes the file descriptor.
    package func close() {
        #if canImport(Darwin)
        _ = Darwin.close(descriptor)
        #elseif canImport(Musl)
        _ = Musl.close(descriptor)
        #else
        _ = Glibc.close(descriptor)
        #endif
    }

    private func systemWrite(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
