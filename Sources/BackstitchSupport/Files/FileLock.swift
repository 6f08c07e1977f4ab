import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A lock on a file, between processes and within one process. The system releases it when a process ends, for any
/// reason.
package final class FileLock: Sendable {
    /// How the lock is held.
    package enum Mode: Sendable {
        /// Several holders share the lock.
        case shared
        /// One holder has the lock alone.
        case exclusive
    }

    /// The path of the file. The first ``take(_:)`` makes the file with mode 0600, and it stays.
    package let path: String
    private let followsLinks: Bool
    /// The file, open while the lock is held.
    private let file = Locked<OpenFile?>(nil)

    /// - Parameter followsLinks: Whether the path may name a link.
    package init(_ path: String, followsLinks: Bool = true) {
        self.path = path
        self.followsLinks = followsLinks
    }

    deinit { release() }

    /// Takes the lock, or changes its mode, unless another holder's mode excludes that. It does not wait.
    ///
    /// - Returns: Whether the lock is held now. If not, it is held in no mode, even if it was held before.
    /// - Throws: ``SystemError`` of `open` or `flock`; the lock is not held then.
    package func take(_ mode: Mode) throws(SystemError) -> Bool {
        try file.withLock { file throws(SystemError) in
            let held: OpenFile
            if let file { held = file } else { held = try FileCalls.openOrMake(path, followsLinks: followsLinks) }
            file = held
            if held.tryLock(isShared: mode == .shared) { return true }
            let error = SystemError.last("flock", path, to: "lock")
            held.close()
            file = nil
            if error.number == EWOULDBLOCK || error.number == EINTR { return false }
            throw error
        }
    }

    /// Releases the lock. Nothing happens if it is not held.
    package func release() {
        file.withLock { file in
            // Closing alone is not enough: a process just being started may have a copy of the open file, and would
            // keep the lock.
            file?.unlock()
            file?.close()
            file = nil
        }
    }
}
