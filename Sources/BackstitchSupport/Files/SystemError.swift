import Foundation
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A call of the operating system on a file that has failed.
///
/// The room that asked for the call tells its users in its own words and codes.
package struct SystemError: Error, CustomStringConvertible {
    /// The call, such as `fsync`.
    package let call: String
    /// The call in words, such as "sync the folder".
    package let action: String
    /// The file.
    package let path: String
    /// The system's `errno`; 0 where Foundation made the call.
    package let number: Int32
    /// Foundation's error, where it made the call.
    package let cause: (any Error)?

    /// A call that failed with a number of the system's.
    package init(call: String, action: String? = nil, path: String, number: Int32) {
        self.call = call
        self.action = action ?? call
        self.path = path
        self.number = number
        cause = nil
    }

    /// A call that failed in Foundation.
    init(call: String, action: String, path: String, cause: any Error) {
        self.call = call
        self.action = action
        self.path = path
        number = 0
        self.cause = cause
    }

    /// The error of the call that just failed.
    package static func last(_ call: String, _ path: String, to action: String? = nil) -> SystemError {
        SystemError(call: call, action: action, path: path, number: errno)
    }

    /// Whether there is no file or folder of that name.
    package var isMissing: Bool { number == ENOENT }

    /// Whether a file was to be renamed from one file system to another.
    package var isOtherFileSystem: Bool { number == EXDEV }

    /// The system's words for the number.
    package var reason: String { String(cString: strerror(number)) }

    package var description: String { "\(call) '\(path)': \(cause.map { "\($0)" } ?? reason)" }
}
