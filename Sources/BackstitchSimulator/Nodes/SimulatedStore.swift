package import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSync
package import Foundation

/// The store of a simulated device: a SQLite store whose writes can be its process's last.
package final class SimulatedStore: JournalingStore {
    package static let typeName = "Simulated"

    /// The process that is opening the store.
    @TaskLocal static var mounted: Confined<Mortality>?

    let configuration: StoreConfiguration
    private let inner: SQLiteStore
    private let process: Confined<Mortality>
    private var mortality: Mortality { process.value }

    package static func optionSpecifications(
        for options: [StoreOption: any Sendable]
    ) throws -> [OptionSpecification] {
        try SyncStore.optionSpecifications(for: options)
    }

    package init(_ configuration: StoreConfiguration) throws {
        guard let mounted = Self.mounted else {
            throw BackstitchError(.invalidRequest, "a simulated store is opened by a simulated device only")
        }
        self.configuration = configuration
        process = mounted
        inner = try mounted.value.open(configuration)
    }

    package var isWrittenByOthers: Bool { mortality.disk.isShared }
    package var identifier: UUID { inner.identifier }
    package var assets: any AssetStorage { inner.assets }

    package func collectAssets() throws -> Int {
        try write {
            let count = try inner.collectAssets()
            // It reads the names that are in use from what is on the disk.
            try mortality.disk.sync()
            return count
        }
    }

    package func save(_ request: SaveChangesRequest) throws -> SaveResult {
        try write { try inner.save(request) }
    }

    package func execute(_ request: StoreBatchRequest) throws -> StoreChanges {
        try write { try inner.execute(request) }
    }

    package func writeJournal<Result>(
        author: String, _ body: (any JournalWriting) throws -> Result
    ) throws -> Result {
        try write {
            try inner.writeJournal(author: author) { journal in
                let result = try body(journal)
                try mortality.pass(.beforeCommit)
                return result
            }
        }
    }

    private func write<Result>(_ work: () throws -> Result) throws -> Result {
        try mortality.pass(.beforeWrite)
        let result = try work()
        try mortality.pass(.afterCommit)
        return result
    }

    package func makeDurable() throws {
        guard mortality.isAlive else { throw Mortality.Death() }
        try mortality.disk.sync()
    }

    package func readJournal<Result>(_ body: (any JournalReading) throws -> Result) throws -> Result {
        guard mortality.isAlive else { throw Mortality.Death() }
        return try inner.readJournal(body)
    }

    package func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try inner.fetch(request) }

    package func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        try inner.forEachBatch(request, size: size, body)
    }

    package func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] { try inner.fetchKeys(request) }

    package func count(_ request: StoreFetchRequest) throws -> Int { try inner.count(request) }

    package func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        try inner.fetchDictionaries(request)
    }

    package func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try inner.rows(of: entity, keys: keys)
    }

    package func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows {
        try inner.related(by: property, of: entity, sources: sources)
    }

    /// The disk is closed by the world.
    package func close() {}
}
