import Foundation
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A failed call of the operating system on a file.
///
/// The code that made the call reports the failure to its users in its own words and codes.
package struct SystemError: Error, CustomStringConvertible {
    /// The name of the call, such as `fsync`.
    package let call: String
    /// The call in words, such as "sync the folder".
    package let action: String
    /// The path of the file or folder.
    package let path: String
    /// The system's `errno`; 0 if Foundation made the call.
    package let number: Int32
    /// Foundation's error, if Foundation made the call.
    package let cause: (any Error)?

    /// Makes the error of a call that failed with an `errno`.
    package init(call: String, action: String? = nil, path: String, number: Int32) {
        self.call = call
        self.action = action ?? call
        self.path = path
        self.number = number
        cause = nil
    }

    /// Makes the error of a call that failed in Foundation.
    init(call: String, action: String, path: String, cause: any Error) {
        self.call = call
        self.action = action
        self.path = path
        number = 0
        self.cause = cause
    }

    /// Returns the error of the last failed call, with the current `errno`.
    package static func last(_ call: String, _ path: String, to action: String? = nil) -> SystemError {
        SystemError(call: call, action: action, path: path, number: errno)
    }

    /// Whether the file or folder does not exist.
    package var isMissing: Bool { number == ENOENT }

    /// Whether the call tried to rename a file from one file system to another.
    package var isOtherFileSystem: Bool { number == EXDEV }

    /// Whether the disk, or the user's share of it, had no room.
    package var isFull: Bool { number == ENOSPC || number == EDQUOT }

    /// The system's words for the error number.
    package var reason: String { String(cString: strerror(number)) }

    package var description: String { "\(call) '\(path)': \(cause.map { "\($0)" } ?? reason)" }
}
