import Backstitch
import Foundation

/// The store's file, and the files beside it.
struct StoreFile: Sendable {
    let url: URL
    var path: String { url.path }
    var assets: URL { beside("-assets") }
    var lock: URL { beside("-lock") }

    /// - Throws: ``BackstitchError/Code/invalidRequest`` for a URL that does not name a file.
    init(_ url: URL?) throws {
        guard let url, url.isFileURL else {
            throw BackstitchError(
                .invalidRequest,
                "a store of the type \(JSONFileStore.typeName) needs the URL of a file, not "
                    + (url?.absoluteString ?? "none"))
        }
        self.url = url
    }

    private func beside(_ suffix: String) -> URL {
        url.deletingLastPathComponent().appending(path: url.lastPathComponent + suffix)
    }

    func makeFolder() throws {
        try explaining("its folder could not be made") {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        }
    }

    /// Returns the stored content. For a new store it makes the content and writes it at once.
    func load(_ configuration: StoreConfiguration) throws -> StoreContent {
        let schema = StoreSchema(configuration.storedModel)
        if let stored = try contents() {
            guard stored.model == schema else { throw stored.model.mismatch(with: schema, configuration, path) }
            return try explaining("it is damaged; restore it from a backup") {
                try stored.content(model: configuration.model)
            }
        }
        guard !configuration.isReadOnly else {
            throw BackstitchError(
                .storeNotFound, "there is no store at \(path), and a read-only store is never created; check the place")
        }
        let content = StoreContent(model: configuration.model, identifier: configuration.generator.next().uuid)
        try save(content, schema)
        return content
    }

    /// Reads the content of the file; nil when there is no file.
    ///
    /// - Throws: ``BackstitchError/Code/notADatabase``, ``BackstitchError/Code/newerFormat``, and
    ///   ``BackstitchError/Code/storeFailure`` for a damaged store of ours.
    func contents() throws -> StoredContent? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let data = try explaining("it could not be read") { try Data(contentsOf: url) }
        let header = try? JSONDecoder().decode(StoredContent.Header.self, from: data)
        guard let header, header.format == StoredContent.format else {
            // A truncated file still begins like one of ours. Then it is a damaged store, and a backup may help.
            let isOurs = String(decoding: data.prefix(100), as: UTF8.self).contains(StoredContent.format)
            throw BackstitchError(
                isOurs ? .storeFailure : .notADatabase,
                isOurs
                    ? "\(path) is damaged and was left as it is; restore it from a backup"
                    : "\(path) is not a store of the type \(JSONFileStore.typeName), and was left as it is")
        }
        guard header.version <= StoredContent.version else {
            throw BackstitchError(
                .newerFormat,
                "\(path) has version \(header.version) of the format, this program knows \(StoredContent.version); "
                    + "update the program")
        }
        return try explaining("it is damaged; restore it from a backup") {
            try JSONDecoder().decode(StoredContent.self, from: data)
        }
    }

    /// Writes the content, in place of the old file.
    func save(_ content: StoreContent, _ schema: StoreSchema) throws {
        try explaining("it could not be written; nothing of the save is stored") {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            try DurableFile.replace(url, with: try encoder.encode(StoredContent(content, schema)))
        }
    }

    /// Removes everything. The file is removed first: without it the other files are no store.
    func remove() throws {
        try explaining("not all of its files could be removed; remove the rest by hand") {
            for url in [url, DurableFile.draft(of: url), assets, lock]
            where FileManager.default.fileExists(atPath: url.path) {
                try FileManager.default.removeItem(at: url)
            }
        }
    }

    /// Adds the name of the store to an error of the system or of a decoder.
    private func explaining<Result>(_ message: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            throw BackstitchError(.storeFailure, "\(path): \(message)", cause: error)
        }
    }
}
