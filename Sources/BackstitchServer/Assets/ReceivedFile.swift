import BackstitchSupport
import Foundation
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A complete file that is durable on the disk.
struct ReceivedFile: Sendable {
    var file: URL
    /// The SHA-256 of the content.
    var digest: [UInt8]
    var size: Int64

    /// The checksum of the content, as assets have it.
    var checksum: AssetChecksum { AssetChecksum(digest) }

    /// Removes the file from the folder of drafts. Adopted content stays in its place.
    func discard() { unlink(file.path) }
}
