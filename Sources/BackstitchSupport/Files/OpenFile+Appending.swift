import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Files with writes only at their end, each by one holder of its lock at a time.
extension FileCalls {
    /// Opens a file for reading and for writing at its end, never through a link. Nil if the file is missing and is not
    /// made, or if its folder is missing.
    ///
    /// - Parameter makes: Whether a missing file is made, with mode 0600.
    package static func openToAppend(_ path: String, makes: Bool) throws -> OpenFile? {
        let flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (makes ? O_CREAT : 0)
        let descriptor = systemOpen(path, flags, 0o600)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemError.last("open", path, to: "append to")
        }
        let file = OpenFile(descriptor: descriptor, path: path)
        return makes ? try restrict(file) : file
    }

    /// Removes an empty folder. A folder with entries, or a missing one, is left alone.
    package static func removeEmptyFolder(_ path: String) throws {
        guard rmdir(path) != 0, ![ENOENT, ENOTEMPTY, EEXIST].contains(errno) else { return }
        throw SystemError.last("rmdir", path, to: "remove the folder")
    }
}

extension OpenFile {
    /// Returns the file's length; nil if its path no longer leads to this file.
    package func lengthAtPath() throws -> Int64? {
        var own = stat(), named = stat()
        guard fstat(descriptor, &own) == 0 else { throw SystemError.last("fstat", path, to: "look at") }
        guard lstat(path, &named) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemError.last("lstat", path, to: "look at")
        }
        return own.st_ino == named.st_ino && own.st_dev == named.st_dev ? Int64(own.st_size) : nil
    }

    /// Sets the time of the last change, in milliseconds since 1970.
    package func touch(_ milliseconds: Int64) throws {
        let seconds = milliseconds / 1000
        let time = timespec(
            tv_sec: .init(truncatingIfNeeded: seconds),
            tv_nsec: .init(truncatingIfNeeded: (milliseconds - seconds * 1000) * 1_000_000))
        guard futimens(descriptor, [time, time]) == 0 else {
            throw SystemError.last("futimens", path, to: "set the time of")
        }
    }
}
