#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A link or a file stands in the place of a folder.
package struct NotAFolder: Error {
    /// The place.
    package let path: String
}
