#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The file that a path leads to, and how it is just now.
package struct FileState: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64
    /// Length in bytes.
    package let size: Int64
    private let changedSeconds: Int64
    private let changedNanoseconds: Int64

    /// One call of the system. Nil when the path leads to nothing.
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

    /// Whether it is the same file, whatever has been written to it.
    package func isSameFile(as other: FileState) -> Bool { inode == other.inode && device == other.device }
}
