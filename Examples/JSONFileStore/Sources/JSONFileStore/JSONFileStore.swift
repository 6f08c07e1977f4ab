public import Backstitch
public import Foundation
import Synchronization

extension StoreType {
    /// A store that keeps everything in one JSON file.
    public static let jsonFile = StoreType(rawValue: JSONFileStore.typeName)
}

/// A store with all rows and links in one JSON file, and in memory while it is open: a small example of a backend.
///
/// ```swift
/// StoreRegistry.register(JSONFileStore.self)
/// let container = try PersistentContainer(model: .notes, store: .init(type: .jsonFile, url: file))
/// ```
/// Each save writes the whole file anew and replaces the old one in one step. After a crash the file is either the old
/// or the new one. Only one store may have the file open for writing. A read-only store sees the file's state at its
/// opening. The store keeps no history, does not migrate, and refuses models with unique constraints or derived
/// attributes.
public final class JSONFileStore: PersistentStore {
    /// The type's name in the registry, `"JSONFile"`.
    public static let typeName = "JSONFile"

    /// Identifies the store's content; made with the store.
    public let identifier: UUID
    /// The assets, as files in the folder `NAME-assets` beside the store's file.
    public let assets: any AssetStorage

    private let file: StoreFile
    private let schema: StoreSchema
    private let isReadOnly: Bool
    /// Held by the writing thread. It is recursive, so a batch request whose closure writes gets an error, and does not
    /// wait for itself.
    private let writing = NSRecursiveLock()
    private let state: Mutex<State>
    /// The number of readers of an old state.
    private let pins = Mutex(0)

    private struct State {
        /// The content for readers: always a whole save. Nil when the store is closed.
        var content: StoreContent?
        var isWriting = false
        var lock: FileLock?
    }

    /// Opens the store in the file at the configuration's URL. Missing files and folders are made.
    ///
    /// - Throws: ``BackstitchError/Code/notADatabase`` for a file of another kind. ``BackstitchError/Code/newerFormat``
    ///   and ``BackstitchError/Code/modelMismatch`` for a store of another version or model.
    ///   ``BackstitchError/Code/storeFailure`` for a damaged store, or one in use. In each of these cases the file has
    ///   not changed. ``BackstitchError/Code/invalidModel`` for a model with a feature that this store lacks.
    public init(_ configuration: StoreConfiguration) throws {
        try StoreSchema.require(configuration.storedModel)
        file = try StoreFile(configuration.url)
        schema = StoreSchema(configuration.storedModel)
        isReadOnly = configuration.isReadOnly
        var lock: FileLock?
        if !isReadOnly {
            try file.makeFolder()
            lock = try FileLock(file)
        }
        let content = try file.load(configuration)
        identifier = content.identifier
        assets = AssetFolder(file.assets, isReadOnly: isReadOnly)
        state = Mutex(State(content: content, lock: lock))
    }

    /// Waits for a running save, and closes the file. A second call does nothing.
    public func close() throws {
        writing.lock()
        defer { writing.unlock() }
        state.withLock {
            $0.content = nil
            $0.lock = nil
        }
    }

    /// Removes the file and everything beside it that belongs to the store.
    public static func destroy(at url: URL?, options: StoreOptions) throws {
        let file = try StoreFile(url)
        guard try file.contents() != nil else { return }
        let lock = try FileLock(file)
        try withExtendedLifetime(lock) { try file.remove() }
    }

    /// Returns the present content of the store: a value, which later writes do not change.
    func content() throws -> StoreContent {
        guard let content = state.withLock({ $0.content }) else { throw Self.closed(file.path) }
        return content
    }

    /// Removes assets that no row names. It removes none while an old state is read, since rows of that state may name
    /// more. No save runs meanwhile.
    public func collectAssets() throws -> Int {
        guard !isReadOnly, let folder = assets as? AssetFolder else { return 0 }
        writing.lock()
        defer { writing.unlock() }
        // The caller is a batch request's closure: the request has kept bytes that no row names yet.
        if state.withLock({ $0.isWriting }) { return 0 }
        let names = try content().assetNames
        return try pins.withLock { try $0 == 0 ? folder.collect(keeping: names) : 0 }
    }

    /// Returns the present content; its assets stay until ``unpin()``.
    func pinnedContent() throws -> StoreContent {
        writing.lock()
        defer { writing.unlock() }
        let content = try content()
        pins.withLock { $0 += 1 }
        return content
    }

    func unpin() { pins.withLock { $0 -= 1 } }

    static func closed(_ name: String) -> BackstitchError {
        BackstitchError(.storeClosed, "\(name) was closed; open it again to use it")
    }

    /// Lets `body` change a copy of the content, writes the copy to the file, and only then shows it to readers.
    func write<Result>(_ body: (inout StoreContent) throws -> Result) throws -> Result {
        guard !isReadOnly else { throw StoreConfiguration.isReadOnly(file.path) }
        writing.lock()
        defer { writing.unlock() }
        var draft = try content()
        try state.withLock {
            guard !$0.isWriting else {
                throw BackstitchError(
                    .invalidRequest, "a batch request's closure cannot write to \(file.path); do it before or after")
            }
            $0.isWriting = true
        }
        defer { state.withLock { $0.isWriting = false } }
        let number = draft.transactionNumber
        let result = try body(&draft)
        if draft.transactionNumber != number {
            try file.save(draft, schema)
            state.withLock { [draft] in $0.content = draft }
        }
        return result
    }
}
