import BackstitchSupport
import Foundation
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file that has come whole and is safe on disk.
struct ReceivedFile: Sendable {
    var file: URL
    /// SHA-256 of the content.
    var digest: [UInt8]
    var size: Int64

    var checksum: AssetChecksum { AssetChecksum(digest) }

    /// Takes the file out of the folder of what comes in; content that was given its place stays there.
    func discard() { unlink(file.path) }
}
