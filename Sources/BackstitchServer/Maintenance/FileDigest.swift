import BackstitchSupport
import Foundation

/// SHA-256 of files. They are read a megabyte at a time.
enum FileDigest {
    static let portion = 1 << 20

    /// The digest of a file's bytes.
    static func ofFile(_ path: String) throws -> [UInt8] {
        var hash = SHA256()
        try forEachPortion(of: path) { hash.update(data: $0) }
        return hash.finalize()
    }

    /// Copies a file with mode 0600, and synchronises the copy to the disk. Returns the digest of the copied bytes.
    ///
    /// - Throws: `SystemError` if there is no such file, or if the new name is taken.
    static func copying(_ path: String, to other: String) throws -> [UInt8] {
        guard let copy = try FileCalls.create(other) else {
            throw SystemError(call: "open", action: "make", path: other, number: EEXIST)
        }
        defer { copy.close() }
        var hash = SHA256()
        try forEachPortion(of: path) { data in
            hash.update(data: data)
            try copy.write(data)
        }
        try copy.sync()
        return hash.finalize()
    }

    private static func forEachPortion(of path: String, _ body: (Data) throws -> Void) throws {
        guard let file = FileCalls.open(path) else { throw SystemError.last("open", path, to: "read") }
        defer { file.close() }
        let handle = FileHandle(fileDescriptor: file.descriptor, closeOnDealloc: false)
        while true {
            guard let data = try handle.read(upToCount: portion), !data.isEmpty else { return }
            try body(data)
        }
    }
}
