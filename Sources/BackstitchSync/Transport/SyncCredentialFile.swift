import BackstitchSupport
public import Foundation

/// Stores a credential in a file that only its owner can read.
public struct SyncCredentialFile: SyncCredentialStore {
    private let file: URL

    /// Uses a file, which may be missing; its folder must exist.
    public init(_ file: URL) { self.file = file }

    /// Reads the credential in the file; nil if there is none.
    ///
    /// - Throws: `POSIXError` for a file that cannot be read or is a link, `DecodingError` for a file with other
    ///   content.
    public func credential() throws -> SyncCredential? {
        guard let data = try onFiles({ try FileCalls.contents(of: file.path, followsLinks: false) }) else { return nil }
        return try JSONDecoder().decode(SyncCredential.self, from: data)
    }

    /// Writes a new file and renames it over the last one, so that a crash leaves one complete file.
    ///
    /// - Throws: `POSIXError` if the folder cannot be written to; the last file then stays.
    public func keep(_ credential: SyncCredential?) throws {
        guard let credential else { return try onFiles { try FileCalls.remove(file.path) } }
        let data = try JSONEncoder().encode(credential)
        let draft = file.path + ".new"
        try onFiles {
            try FileCalls.remove(draft)
            guard let written = try FileCalls.create(draft) else { throw POSIXError(.EEXIST) }
            defer { written.close() }
            try written.write(data)
            try written.sync()
            guard try FileCalls.rename(draft, to: file.path) else { throw POSIXError(.ENOENT) }
        }
    }

    private func onFiles<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SystemError {
            throw error.cause ?? POSIXError(.init(rawValue: error.number) ?? .EIO)
        }
    }
}
