import BackstitchSupport
public import Foundation

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
        guard let data = try onFiles({ try FileCalls.contents(of: file.path, followsLinks: false) }) else { return nil }
        return try JSONDecoder().decode(SyncCredential.self, from: data)
    }

    /// Writes another file and puts it into the place of the last one, so that a crash leaves one of both whole.
    ///
    /// - Throws: `POSIXError` where the folder cannot be written to; the last one then stays.
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
