#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A path names a link or a file instead of a folder.
package struct NotAFolder: Error {
    /// The path that is not a folder.
    package let path: String
}
