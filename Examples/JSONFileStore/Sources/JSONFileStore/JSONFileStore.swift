public import Backstitch
public import Foundation
import Synchronization

extension StoreType {
    /// A store that keeps everything in one JSON file.
    public static let jsonFile = StoreType(rawValue: JSONFileStore.typeName)
}

/// A store that keeps all rows and links in one JSON file, and in memory while it is open: a small example of a
/// backend.
///
/// ```swift
/// StoreRegistry.register(JSONFileStore.self)
/// let container = try PersistentContainer(model: .notes, store: .init(type: .jsonFile, url: file))
/// ```
/// Each save writes the whole file anew and puts it in the place of the old one in one step, so that a crash leaves
/// either of them. A store that opens the file has it alone; readers that open it read-only see it as it was when they
/// opened it. It keeps no history, does not migrate, and takes no models with unique constraints or derived attributes.
public final class JSONFileStore: PersistentStore {
    /// `"JSONFile"`.
    public static let typeName = "JSONFile"

    /// Names the store's content; made when it is created.
    public let identifier: UUID
    /// Files in the folder `NAME-assets` beside the store's file.
    public let assets: any AssetStorage

    private let file: StoreFile
    private let schema: StoreSchema
    private let isReadOnly: Bool
    /// Held by whoever writes. Recursive, so that a batch request whose closure writes is told so and does not wait for
    /// itself.
    private let writing = NSRecursiveLock()
    private let state: Mutex<State>
    /// How many read an old state.
    private let pins = Mutex(0)

    private struct State {
        /// The content that readers see: always a whole save. Nil when the store is closed.
        var content: StoreContent?
        var isWriting = false
        var lock: FileLock?
    }

    /// Opens the store in the file at the configuration's URL, and makes file and folder where they are missing.
    ///
    /// - Throws: ``BackstitchError/Code/notADatabase`` for a file of another kind, ``BackstitchError/Code/newerFormat``
    ///   and ``BackstitchError/Code/modelMismatch`` for a store of another version or model,
    ///   ``BackstitchError/Code/storeFailure`` for one that is damaged or in use; in each case the file has not
    ///   changed. ``BackstitchError/Code/invalidModel`` when the model asks for what this store cannot do.
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

    /// Waits for a save that is under way, and lets go of the file. A second call does nothing.
    public func close() throws {
        writing.lock()
        defer { writing.unlock() }
        state.withLock {
            $0.content = nil
            $0.lock = nil
        }
    }

    /// Removes the file and all that is kept beside it.
    public static func destroy(at url: URL?, options: StoreOptions) throws {
        let file = try StoreFile(url)
        guard try file.contents() != nil else { return }
        let lock = try FileLock(file)
        try withExtendedLifetime(lock) { try file.remove() }
    }

    /// Returns the content of the store as it is now: a value, which stays as it is whatever is written later.
    func content() throws -> StoreContent {
        guard let content = state.withLock({ $0.content }) else { throw Self.closed(file.path) }
        return content
    }

    /// Removes assets that no row names, unless somebody reads an old state, whose rows may name more. Nobody saves
    /// meanwhile.
    public func collectAssets() throws -> Int {
        guard !isReadOnly, let folder = assets as? AssetFolder else { return 0 }
        writing.lock()
        defer { writing.unlock() }
        // In a batch request's closure, which has kept bytes that no row names yet.
        if state.withLock({ $0.isWriting }) { return 0 }
        let names = try content().assetNames
        return try pins.withLock { try $0 == 0 ? folder.collect(keeping: names) : 0 }
    }

    /// The content as it is now, whose assets stay until ``unpin()``.
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

    /// Has `body` change a copy of the content, writes it to the file, and only then shows it to readers.
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
