import BackstitchSupport
import Foundation

/// The file of an incomplete upload. Only its holder may append to it.
///
/// It is not shared: one request owns it. Its calls block, so they run on a ``WorkRunner``.
struct PartialFile: Sendable {
    private let file: OpenFile
    /// The number of bytes received so far.
    private(set) var size: Int64

    /// Takes a file that the caller has locked.
    init(_ file: OpenFile, size: Int64) {
        self.file = file
        self.size = size
    }

    /// Appends bytes at the end.
    mutating func append(_ bytes: [UInt8]) throws {
        try file.write(bytes)
        size += Int64(bytes.count)
    }

    /// Makes the file durable, and reads all of it for its digest. After a loss of power its bytes may differ from the
    /// received ones.
    func whole() throws -> ReceivedFile {
        try file.sync()
        var digest = SHA256(), size: Int64 = 0
        try file.forEachPiece { piece in
            digest.update(bufferPointer: piece)
            size += Int64(piece.count)
        }
        return ReceivedFile(file: URL(fileURLWithPath: file.path), digest: digest.finalize(), size: size)
    }

    /// Gives the file back, with the time of its last use. Call this or ``discard()`` once, and nothing after it.
    func leave(at milliseconds: Int64) throws {
        defer { close() }
        try file.touch(milliseconds)
    }

    /// Removes the file from the folder, and closes it.
    func discard() throws {
        defer { close() }
        try FileCalls.remove(file.path)
    }

    /// Unlocks and closes the file. Closing alone is not enough: a process being started may have a copy of the
    /// descriptor, and would keep the lock.
    func close() {
        file.unlock()
        file.close()
    }
}
