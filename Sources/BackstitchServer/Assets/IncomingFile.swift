import BackstitchSupport
import Foundation
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Writes a file while it comes in, and digests it on the way.
///
/// Not shared: one request owns it. Its calls block, so they run on a ``WorkRunner``.
struct IncomingFile: Sendable {
    private let file: URL
    private let draft: OpenFile
    private var digest = SHA256()
    private(set) var size: Int64 = 0

    init(_ file: URL) throws {
        self.file = file
        guard let draft = try FileCalls.create(file.path) else {
            throw SystemError(call: "open", path: file.path, number: EEXIST)
        }
        self.draft = draft
    }

    mutating func write(_ bytes: [UInt8]) throws {
        try draft.write(bytes)
        digest.update(data: bytes)
        size += Int64(bytes.count)
    }

    /// Makes the file safe and closes it.
    ///
    /// - Throws: ``SystemError``; then the file is still open, to be discarded like any that did not come whole.
    func finish() throws -> ReceivedFile {
        try draft.sync()
        draft.close()
        return ReceivedFile(file: file, digest: digest.finalize(), size: size)
    }

    /// Closes and removes a file that is not finished. Call once.
    func discard() {
        draft.close()
        unlink(file.path)
    }
}
