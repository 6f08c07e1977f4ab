#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The identity and current state of the file at a path.
package struct FileState: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    /// The length in bytes.
    package let size: Int64
    private let changedSeconds: Int64
    private let changedNanoseconds: Int64

    /// Reads the state by one system call. Nil if there is no file at the path.
    package init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
        let changed = status.st_mtimespec
        #else
        let changed = status.st_mtim
        #endif
        changedSeconds = Int64(changed.tv_sec)
        changedNanoseconds = Int64(changed.tv_nsec)
    }

    /// Whether both states are of the same file, even if it was written in between.
    package func isSameFile(as other: FileState) -> Bool { inode == other.inode && device == other.device }
}
