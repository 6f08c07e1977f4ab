import Backstitch
import Foundation

/// Keeps other processes from opening a store as long as it lives, since the content in memory would become outdated.
///
/// The lock is on a file of its own, since each save replaces the store's file. It ends with the process, even after a
/// crash.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// - Throws: ``BackstitchError/Code/storeFailure`` when another store holds it.
    init(_ file: StoreFile) throws {
        descriptor = open(file.lock.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw BackstitchError(
                .storeFailure, "\(file.lock.path) could not be opened", cause: DurableFile.systemError())
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw BackstitchError(
                .storeFailure, "\(file.path) is in use; close it where it is open, or open it read-only here")
        }
    }

    deinit { close(descriptor) }
}
