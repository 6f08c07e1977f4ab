import Backstitch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An open file. The code that opens it closes it.
package struct OpenFile {
    let descriptor: Int32
    let path: String

    /// Writes all of `data`, also when the system takes it in parts.
    func write(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let written = systemWrite(rest)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw FileCalls.failure("write", path) }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
        }
    }

    /// Everything from the position to the end.
    func readToEnd() throws -> Data {
        do { return try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() ?? Data() } catch {
            throw BackstitchError(
                .storeFailure, "could not read \(path); check the disk and the file's mode", cause: error)
        }
    }

    /// Makes the bytes durable.
    func sync() throws {
        #if canImport(Darwin)
        // fsync does not reach the disk's platters on Apple's systems; file systems without this call fall back to it.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw FileCalls.failure("sync", path) }
    }

    /// Takes the lock, after whoever has it.
    func lock(isShared: Bool = false) throws {
        while flock(descriptor, isShared ? LOCK_SH : LOCK_EX) != 0 {
            guard errno == EINTR else { throw FileCalls.failure("lock", path) }
        }
    }

    /// Gives the lock back.
    func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Takes the lock unless somebody has it.
    func tryLock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Closes it.
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
