import BackstitchSupport
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension FileLock {
    /// Locks a storage directory against a second server, until the lock is released or the process ends.
    ///
    /// - Throws: ``ZoneServerError`` if another server has the lock.
    static func ofStorage(_ directory: URL) throws -> FileLock {
        let lock = FileLock(directory.appendingPathComponent("lock").path, followsLinks: false)
        do {
            guard try lock.take(.exclusive) else {
                throw SystemError(call: "flock", path: lock.path, number: EWOULDBLOCK)
            }
        } catch let error as SystemError where error.call == "flock" {
            throw ZoneServerError(
                .storageUnavailable,
                "another server uses '\(directory.path)'; stop it or choose another directory", cause: error)
        }
        return lock
    }
}
