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
    /// Keeps a second server off a storage directory, until it is released or goes.
    ///
    /// - Throws: ``ZoneServerError`` when another server has it.
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
