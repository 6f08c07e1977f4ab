package import Backstitch
import BackstitchSync

/// The store of a simulated device: a SQLite store. Its process may die at any write.
package final class SimulatedStore: JournalLayer {
    package static let typeName = "Simulated"

    /// The process that is opening the store.
    @TaskLocal static var mounted: Confined<Mortality>?

    let configuration: StoreConfiguration
    package let journalBase: any JournalingStore
    private let process: Confined<Mortality>
    private var mortality: Mortality { process.value }
    /// Whether its process lives.
    var isAlive: Bool { mortality.isAlive }

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
        journalBase = try mounted.value.open(configuration)
    }

    package var isWrittenByOthers: Bool { mortality.disk.isShared }

    package func collectAssets() throws -> Int {
        try write {
            let count = try journalBase.collectAssets()
            // Collecting assets needs the names in use, which are read from the disk.
            try mortality.disk.sync()
            return count
        }
    }

    package func save(_ request: SaveChangesRequest) throws -> SaveResult {
        try write { try journalBase.save(request) }
    }

    package func execute(_ request: StoreBatchRequest) throws -> StoreChanges {
        try write { try journalBase.execute(request) }
    }

    package func writeJournal<Result>(
        author: String, _ body: (any JournalWriting) throws -> Result
    ) throws -> Result {
        try write {
            try journalBase.writeJournal(author: author) { journal in
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
        return try journalBase.readJournal(body)
    }

    /// Does nothing: the world closes the disk.
    package func close() {}
}
