import Backstitch
import BackstitchSupport
public import Foundation

/// Keys in a file. Each line has a key: its name and 32 bytes in base64. The last key is the current one, and replaces
/// the earlier keys.
///
/// ```swift
/// let file = EncryptionKeyFile(folder.appending(path: "keys"))
/// if try await !file.exists() { try await file.addKey(id: "2026-01") }
/// // options: [.syncEncryptionKeys: file, …]
/// ```
/// Each device needs the same lines; the program has to bring them there. Empty lines are skipped, and lines that begin
/// with `#`. The file is read again after a change, on a separate thread.
public final class EncryptionKeyFile: EncryptionKeyProvider {
    private struct Known: Sendable {
        let stamp: [Int64]?
        let keys: [EncryptionKey]
    }

    private let path: String
    private let known = Locked<Known?>(nil)
    private let workers = WorkerPool(name: "backstitch-keys", limit: 1)

    /// The key file at a URL. It need not exist yet.
    public init(_ file: URL) { path = file.path }

    /// Whether the file exists.
    public func exists() async throws -> Bool {
        try await workers.run { [path] in FileCalls.size(of: path) != nil }
    }

    /// Adds a new key as the current one. Makes the file if there is none, for its owner only (mode 0600). When the
    /// call returns, the key is on the disk. Nothing is encrypted with it before.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/invalidValue`` for an invalid name, or a name that the file already
    ///   has; ``Backstitch/BackstitchError/Code/storeFailure`` if the file cannot be read or written. After an error
    ///   the file is unchanged.
    @discardableResult
    public func addKey(id: String) async throws -> EncryptionKey {
        let key = try EncryptionKey.generated(id: id)
        try await workers.run { [self] in
            let before = try onFile("written") { try FileCalls.contents(of: path) }
            let keys = try before.map(read) ?? []
            guard !keys.contains(where: { $0.id == id }) else {
                throw BackstitchError(.invalidValue, "the key file \(path) has a key \"\(id)\" already", key: id)
            }
            var text = before ?? Data("# Keys of encrypted attributes. Whoever has them can read the values.\n".utf8)
            if text.last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
            text += Data("\(id) \(key.bytes.base64EncodedString())\n".utf8)
            try onFile("written") { try replace(by: text) }
            known.withLock { $0 = nil }
        }
        return key
    }

    /// The last key of the file.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/storeFailure`` if the file is missing, empty or open to other users,
    ///   or has a line without a valid key.
    public func currentKey(inZone zone: String) async throws -> EncryptionKey {
        guard let key = try await keys().last else { throw failure("has no key; addKey(id:) adds one") }
        return key
    }

    /// The key with this name, if the file has it.
    public func key(withID id: String, inZone zone: String) async throws -> EncryptionKey? {
        try await keys().first { $0.id == id }
    }

    /// The names of all keys except the last one.
    public func replacedKeyIDs(inZone zone: String) async throws -> Set<String> {
        Set(try await keys().dropLast().map(\.id))
    }

    private func keys() async throws -> [EncryptionKey] {
        try await workers.run { [self] in
            let stamp = FileCalls.stamp(of: path)
            if let known = known.withLock({ $0 }), stamp != nil, known.stamp == stamp { return known.keys }
            guard let data = try onFile("read", { try FileCalls.contents(of: path) }) else {
                throw failure("is not there; addKey(id:) makes it")
            }
            if let mode = try FileCalls.mode(of: path), mode & 0o170000 == 0o100000, mode & 0o037 != 0 {
                throw failure(
                    "may be read or changed by others (mode 0\(String(mode & 0o777, radix: 8))); make it 0600")
            }
            let keys = try read(data)
            known.withLock { $0 = Known(stamp: stamp, keys: keys) }
            return keys
        }
    }

    private func read(_ data: Data) throws -> [EncryptionKey] {
        var keys: [EncryptionKey] = []
        for (number, line) in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces)
            if text.isEmpty || text.hasPrefix("#") { continue }
            let words = text.split(separator: " ").map(String.init)
            // The error never quotes the line: it may contain a large part of a key.
            guard words.count == 2, let bytes = Data(base64Encoded: words[1]),
                let key = try? EncryptionKey(id: words[0], bytes: bytes)
            else { throw failure("has no name with 32 bytes in base64 in line \(number + 1)") }
            guard !keys.contains(where: { $0.id == key.id }) else {
                throw failure("names the key \"\(key.id)\" twice, in line \(number + 1) again")
            }
            keys.append(key)
        }
        return keys
    }

    /// Replaces the file by a new one, so that after a crash one of the two is complete.
    private func replace(by text: Data) throws {
        let draft = path + ".new"
        try FileCalls.remove(draft)
        guard let written = try FileCalls.create(draft) else { throw POSIXError(.EEXIST) }
        defer { written.close() }
        try written.write(text)
        try written.sync()
        guard try FileCalls.rename(draft, to: path) else { throw POSIXError(.ENOENT) }
        try FileCalls.syncFolder(URL(filePath: path).deletingLastPathComponent().path)
    }

    private func onFile<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw failure("cannot be \(what)", error) }
    }

    private func failure(_ text: String, _ cause: (any Error)? = nil) -> BackstitchError {
        BackstitchError(.storeFailure, "the key file \(path) \(text)", cause: cause)
    }
}
