public import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Keeps a credential in a file that only its owner can read.
public struct SyncCredentialFile: SyncCredentialStore {
    private let file: URL

    /// A file, which need not be there yet; its folder must.
    public init(_ file: URL) { self.file = file }

    /// Reads the credential in the file; nil when there is none.
    ///
    /// - Throws: `POSIXError` for a file that cannot be read or is a link, `DecodingError` for one that holds something
    ///   else.
    public func credential() throws -> SyncCredential? {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            return nil
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return try JSONDecoder().decode(SyncCredential.self, from: try handle.readToEnd() ?? Data())
    }

    /// Writes another file and puts it into the place of the last one, so that a crash leaves one of both whole.
    ///
    /// - Throws: `POSIXError` where the folder cannot be written to; the last one then stays.
    public func keep(_ credential: SyncCredential?) throws {
        guard let credential else {
            guard unlink(file.path) == 0 || errno == ENOENT else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            return
        }
        let data = try JSONEncoder().encode(credential)
        let draft = file.path + ".new"
        guard unlink(draft) == 0 || errno == ENOENT else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: data)
        try handle.synchronize()
        guard rename(draft, file.path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
}
