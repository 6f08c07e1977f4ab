import Backstitch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A lock of a store in files that has none of its own: a file beside it. The system takes it from a process that ends,
/// however that comes.
final class FileLock: StoreLock {
    let path: String
    /// Of the open file; -1 while the lock is not held.
    private let descriptor = Locked<Int32>(-1)

    init(_ path: String) { self.path = path }

    deinit { release() }

    /// Takes the lock unless another store has it.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` when the file cannot be made or locked.
    func take(_ mode: StoreLockMode) throws -> Bool {
        try descriptor.withLock { held in
            let file = held >= 0 ? held : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw failure("opened") }
            held = file
            guard flock(file, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
                let reason = errno
                defer {
                    close(file)
                    held = -1
                }
                if reason == EWOULDBLOCK || reason == EINTR { return false }
                throw failure("locked")
            }
            return true
        }
    }

    func release() {
        descriptor.withLock { held in
            if held >= 0 { close(held) }
            held = -1
        }
    }

    private func failure(_ what: String) -> BackstitchError {
        BackstitchError(
            .storeFailure,
            "the file \(path), by which one process syncs the store, cannot be \(what): "
                + String(cString: strerror(errno)))
    }
}
