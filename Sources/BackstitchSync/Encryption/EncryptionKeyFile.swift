import Backstitch
import BackstitchSupport
public import Foundation

/// Keys in a file: a line each, its name and 32 bytes in base64. The last one is the current one, and replaces those
/// before it.
///
/// ```swift
/// let file = EncryptionKeyFile(folder.appending(path: "keys"))
/// if try await !file.exists() { try await file.addKey(id: "2026-01") }
/// // options: [.syncEncryptionKeys: file, …]
/// ```
/// Each device needs the same lines; how they get there is the program's care. Empty lines, and those that begin with
/// `#`, are passed over. The file is read again when it has changed, on a thread of its own.
public final class EncryptionKeyFile: EncryptionKeyProvider {
    private struct Known: Sendable {
        let stamp: [Int64]?
        let keys: [EncryptionKey]
    }

    private let path: String
    private let known = Locked<Known?>(nil)
    private let workers = WorkerPool(name: "backstitch-keys", limit: 1)

    /// The file at a URL, which need not be there yet.
    public init(_ file: URL) { path = file.path }

    /// Whether there is such a file.
    public func exists() async throws -> Bool {
        try await workers.run { [path] in FileCalls.size(of: path) != nil }
    }

    /// Adds a new key, the current one from now on, and makes the file if there is none: for its owner alone (mode
    /// 0600). When it returns, the key is on the disk; before that nothing is encrypted with it.
    ///
    /// - Throws: ``Backstitch/BackstitchError/Code/invalidValue`` for a name that is none, or that the file has
    ///   already; ``Backstitch/BackstitchError/Code/storeFailure`` when the file cannot be read or written. It
    ///   stays as it was.
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
    /// - Throws: ``Backstitch/BackstitchError/Code/storeFailure`` when the file is missing, empty, open to others, or
    ///   has a line that is no key.
    public func currentKey(inZone zone: String) async throws -> EncryptionKey {
        guard let key = try await keys().last else { throw failure("has no key; addKey(id:) adds one") }
        return key
    }

    /// The key of that name, if the file has it.
    public func key(withID id: String, inZone zone: String) async throws -> EncryptionKey? {
        try await keys().first { $0.id == id }
    }

    /// All keys but the last.
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
            // A fault never repeats the line: it may hold the better part of a key.
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

    /// Another file takes the place of the last one, so that a crash leaves one of both whole.
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
