import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A lock that processes, and those in one process, take on a file. The system takes it from a process that ends,
/// however that comes.
package final class FileLock: Sendable {
    /// How a lock is held.
    package enum Mode: Sendable {
        /// Beside others who share it.
        case shared
        /// Alone.
        case exclusive
    }

    /// The file, which is made when the lock is first taken, with mode 0600, and stays.
    package let path: String
    private let followsLinks: Bool
    /// Open while the lock is held.
    private let file = Locked<OpenFile?>(nil)

    /// - Parameter followsLinks: Whether a link may stand in the place of the file.
    package init(_ path: String, followsLinks: Bool = true) {
        self.path = path
        self.followsLinks = followsLinks
    }

    deinit { release() }

    /// Takes the lock, or changes to another mode of it, unless others hold it in a way that does not go with that. It
    /// does not wait.
    ///
    /// - Returns: Whether it is held now; if not, it is held in no mode, also where it was before.
    /// - Throws: ``SystemError`` of `open` or `flock`; it is not held then.
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

    /// Lets others have it. Nothing happens when it is not held.
    package func release() {
        file.withLock { file in
            // Closing alone would leave it to a process that is just being started and has a copy of the file.
            file?.unlock()
            file?.close()
            file = nil
        }
    }
}
