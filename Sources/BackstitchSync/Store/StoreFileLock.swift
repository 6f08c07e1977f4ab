import Backstitch
import BackstitchSupport

/// A lock for a store in files without its own locks: a file beside the store.
final class StoreFileLock: StoreLock {
    private let lock: FileLock

    init(_ path: String) { lock = FileLock(path) }

    /// - Throws: ``BackstitchError/Code/storeFailure`` when the file cannot be created or locked.
    func take(_ mode: StoreLockMode) throws -> Bool {
        do { return try lock.take(mode == .shared ? .shared : .exclusive) } catch {
            throw BackstitchError(
                .storeFailure,
                "the lock file \(lock.path), which lets only one process sync the store, cannot be "
                    + "\(error.call == "open" ? "opened" : "locked"): \(error.reason)")
        }
    }

    func release() { lock.release() }
}
