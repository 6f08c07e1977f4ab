import BackstitchSupport
import Foundation
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Writes a file while it arrives, and computes its digest.
///
/// It is not shared: one request owns it. Its calls block, so they run on a ``WorkRunner``.
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

    /// Appends bytes to the file and to its digest.
    mutating func write(_ bytes: [UInt8]) throws {
        try draft.write(bytes)
        digest.update(data: bytes)
        size += Int64(bytes.count)
    }

    /// Makes the file durable and closes it.
    ///
    /// - Throws: ``SystemError``. The file is then still open, and must be discarded like every incomplete one.
    func finish() throws -> ReceivedFile {
        try draft.sync()
        draft.close()
        return ReceivedFile(file: file, digest: digest.finalize(), size: size)
    }

    /// Closes and removes an unfinished file. Call it once.
    func discard() {
        draft.close()
        unlink(file.path)
    }
}
