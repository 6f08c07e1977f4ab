import BackstitchSupport
import Foundation

/// A file of which only a part has come, and that its holder alone may append to.
///
/// Not shared: one request owns it. Its calls block, so they run on a ``WorkRunner``.
struct PartialFile: Sendable {
    private let file: OpenFile
    /// Bytes that are there.
    private(set) var size: Int64

    /// Takes a file whose lock the caller has.
    init(_ file: OpenFile, size: Int64) {
        self.file = file
        self.size = size
    }

    mutating func append(_ bytes: [UInt8]) throws {
        try file.write(bytes)
        size += Int64(bytes.count)
    }

    /// Makes the file safe, and reads all of it to name it by its content: what a loss of power has left of it may be
    /// other bytes than came.
    func whole() throws -> ReceivedFile {
        try file.sync()
        var digest = SHA256(), size: Int64 = 0
        try file.forEachPiece { piece in
            digest.update(bufferPointer: piece)
            size += Int64(piece.count)
        }
        return ReceivedFile(file: URL(fileURLWithPath: file.path), digest: digest.finalize(), size: size)
    }

    /// Lets others have it, as one that was in use at a time. Call this or ``discard()`` once, and nothing after it.
    func leave(at milliseconds: Int64) throws {
        defer { close() }
        try file.touch(milliseconds)
    }

    /// Removes it.
    func discard() throws {
        defer { close() }
        try FileCalls.remove(file.path)
    }

    /// Closing alone would leave the lock to a process that is just being started and has a copy of the file.
    func close() {
        file.unlock()
        file.close()
    }
}
