import Foundation
import Synchronization

@testable import Backstitch

/// The names of the requests that were answered, in order.
final class RequestLog: Sendable {
    private let names = Mutex<[String]>([])

    /// Forgets the names, and gives them.
    func take() -> [String] {
        names.withLock { names in
            defer { names = [] }
            return names
        }
    }

    fileprivate func note(_ name: String) { names.withLock { $0.append(name) } }
}

/// Answers each request itself and notes it, those with defaults too.
protocol Recording: StoreReading {
    var log: RequestLog { get }
    /// Stands before the names of its requests.
    var prefix: String { get }
}

extension Recording {
    fileprivate func note(_ name: String) { log.note(prefix + name) }

    func fetch(_ request: StoreFetchRequest) -> RowBatch {
        note("fetch")
        return RowBatchBuilder(entity: request.entity).finish()
    }

    func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) rethrows {
        note("forEachBatch")
        try body(RowBatchBuilder(entity: request.entity).finish())
    }

    func fetchKeys(_ request: StoreFetchRequest) -> [ObjectKey] {
        note("fetchKeys")
        return [ObjectKey(high: 0, low: 7)]
    }

    func count(_ request: StoreFetchRequest) -> Int {
        note("count")
        return 7
    }

    func fetchDictionaries(_ request: StoreDictionaryRequest) -> DictionaryRows {
        note("fetchDictionaries")
        return DictionaryRows([[.null]])
    }

    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) -> RowBatch {
        note("rows")
        return RowBatchBuilder(entity: entity).finish()
    }

    func related(by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]) -> RelatedRows {
        note("related")
        return RelatedRows(rows: RowBatchBuilder(entity: entity).finish(), links: [])
    }
}

/// A store without rows that records its requests.
final class RecordingStore: JournalingStore, Recording {
    static let typeName = "Recording"

    /// Thrown by what has no answer without a database.
    struct Reached: Error {}

    let log = RequestLog()
    let prefix = ""
    private let name = UUID()

    init() {}
    init(_ configuration: StoreConfiguration) {}

    var identifier: UUID {
        note("identifier")
        return name
    }

    var assets: any AssetStorage {
        note("assets")
        return NoAssets()
    }

    var journal: (any JournalingStore)? {
        note("journal")
        return self
    }

    var hasAssetsElsewhere: Bool {
        note("hasAssetsElsewhere")
        return true
    }

    var isWrittenByOthers: Bool {
        note("isWrittenByOthers")
        return true
    }

    func save(_ request: SaveChangesRequest) -> SaveResult {
        note("save")
        return SaveResult(transactionNumber: 7)
    }

    func execute(_ request: StoreBatchRequest) -> StoreChanges {
        note("execute")
        return StoreChanges()
    }

    func makeSnapshot() -> (any StoreSnapshot)? {
        note("makeSnapshot")
        return RecordingSnapshot(log: log)
    }

    func collectAssets() -> Int {
        note("collectAssets")
        return 7
    }

    func close() { note("close") }

    func readJournal<Result>(_ body: (any JournalReading) throws -> Result) throws -> Result {
        note("readJournal")
        throw Reached()
    }

    func writeJournal<Result>(author: String, _ body: (any JournalWriting) throws -> Result) throws -> Result {
        note("writeJournal")
        throw Reached()
    }

    func makeDurable() { note("makeDurable") }

    func removeAssets(_ choose: (any JournalReading) throws -> [AssetReference]) -> Bool {
        note("removeAssets")
        return true
    }

    func makeLock(_ name: String, onLoss: @escaping @Sendable () -> Void) -> (any StoreLock)? {
        note("makeLock")
        return NoLock()
    }
}

/// A state of a ``RecordingStore``, which notes in the same log.
final class RecordingSnapshot: StoreSnapshot, Recording {
    let log: RequestLog
    let prefix = "snapshot "

    init(log: RequestLog) { self.log = log }

    func close() { note("close") }
}

private final class NoLock: StoreLock {
    func take(_ mode: StoreLockMode) -> Bool { false }
    func release() {}
}

private struct NoAssets: AssetStorage {
    func reference(to data: Data) -> AssetReference { AssetReference(checksum: "", size: Int64(data.count)) }
    func write(_ contents: AssetContents) {}
    func read(_ reference: AssetReference) -> Data? { nil }
    func contains(_ reference: AssetReference) -> Bool { false }
    func accept(_ data: Data, as reference: AssetReference) {}
    func remove(_ reference: AssetReference) {}
}
