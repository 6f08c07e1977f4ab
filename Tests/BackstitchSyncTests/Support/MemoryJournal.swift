import Backstitch
import Foundation
import TestSupport

/// A journal in dictionaries, for tests that are too many for a database.
final class MemoryJournal: JournalWriting {
    var values: [ObjectKey: [Value]] = [:]
    var entries: [ObjectKey: OutboxEntry] = [:]
    var states: [ObjectKey: RecordState] = [:]
    var metadata: [String: Data] = [:]
    var number: Int64 = 0
    var zoneNames: [Int64: String] = [:]
    var places: [ObjectKey: Int64] = [:]
    /// The number of rows, entries, states and metadata that were read, and the most by one call.
    var rowsRead = 0
    var largestRead = 0

    private func counted<Found: Collection>(_ found: Found) -> Found {
        rowsRead += found.count
        largestRead = max(largestRead, found.count)
        return found
    }

    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        var builder = RowBatchBuilder(entity: entity, capacity: keys.count)
        for key in keys {
            guard let values = values[key] else { continue }
            builder.beginRow(key: key, version: 1)
            for value in values { builder.append(value) }
        }
        let rows = builder.finish()
        _ = counted(rows.keys)
        return rows
    }

    func fetch(_ request: StoreFetchRequest) throws -> RowBatch {
        throw BackstitchError(.invalidRequest, "a journal in memory answers no requests")
    }

    func links(
        of property: ResolvedProperty, in entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> [ObjectKey: [ObjectKey]] { [:] }

    func allKeys(of entity: ResolvedEntity) throws -> [ObjectKey] { values.keys.sorted() }

    func outbox(after sequence: Int64, limit: Int, inZone zone: Int64?) throws -> [OutboxEntry] {
        let waiting = entries.values.filter {
            $0.blockedReason == nil && $0.sequence > sequence && (zone == nil || places[$0.objectID.key] ?? 0 == zone)
        }
        return counted(Array(waiting.sorted { $0.sequence < $1.sequence }.prefix(limit)))
    }

    func outbox(for keys: [ObjectKey]) throws -> [ObjectKey: OutboxEntry] {
        counted(Dictionary(keys.compactMap { key in entries[key].map { (key, $0) } }, uniquingKeysWith: { $1 }))
    }

    func blockedOutbox() throws -> [OutboxEntry] { entries.values.filter { $0.blockedReason != nil } }

    func outboxCounts() throws -> (waiting: Int, blocked: Int) {
        let blocked = try blockedOutbox().count
        return (entries.count - blocked, blocked)
    }

    func recordStates(for keys: [ObjectKey]) throws -> [ObjectKey: RecordState] {
        counted(Dictionary(keys.compactMap { key in states[key].map { (key, $0) } }, uniquingKeysWith: { $1 }))
    }

    func recordStates(named names: [String]) throws -> [String: RecordState] { [:] }
    func allRecordKeys() throws -> [ObjectKey] { states.keys.sorted() }
    func metadata(for key: String) throws -> Data? {
        rowsRead += 1
        return metadata[key]
    }

    func metadata(withPrefix prefix: String) throws -> [(key: String, value: Data)] {
        counted(metadata.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    func metadata(
        withPrefix prefix: String, after key: String?, limit: Int
    ) throws -> [(key: String, value: Data)] {
        let all = metadata.filter { entry in entry.key.hasPrefix(prefix) && key.map { $0 < entry.key } ?? true }
        return counted(all.sorted { $0.key < $1.key }.prefix(limit).map { ($0.key, $0.value) })
    }

    func lastTransactionNumber() throws -> Int64 { number }
    func history(after number: Int64, limit: Int) throws -> [PersistentHistoryTransaction] { [] }
    func purgedHistoryNumber() throws -> Int64 { 0 }
    func zones() throws -> [Int64: String] { zoneNames }
    func zones(of keys: [ObjectKey]) throws -> [ObjectKey: Int64] {
        counted(Dictionary(keys.compactMap { key in places[key].map { (key, $0) } }, uniquingKeysWith: { $1 }))
    }
    func keys(inZone zone: Int64) throws -> [ObjectKey] { places.filter { $0.value == zone }.keys.sorted() }

    func zonesWithOutbox() throws -> Set<Int64> {
        Set(try outbox(after: 0, limit: .max).map { places[$0.objectID.key] ?? 0 })
    }

    func upsert(_ rows: RowBatch) throws { for row in 0..<rows.count { values[rows.keys[row]] = rows.values(at: row) } }
    func delete(_ keys: [ObjectKey], of entity: ResolvedEntity) throws { for key in keys { values[key] = nil } }
    func change(_ links: LinkChange) throws {}
    func putOutbox(_ entries: [OutboxEntry]) throws {
        for entry in entries { self.entries[entry.objectID.key] = entry }
    }
    func removeOutbox(_ keys: [ObjectKey]) throws { for key in keys { entries[key] = nil } }

    func putRecordStates(_ states: [RecordState]) throws {
        for state in states { self.states[state.objectID.key] = state }
    }

    func removeRecordStates(_ keys: [ObjectKey]) throws { for key in keys { states[key] = nil } }
    func raiseTransactionNumber(to number: Int64) throws { self.number = max(self.number, number) }
    func setMetadata(_ value: Data?, for key: String) throws { metadata[key] = value }
    func purgeHistory(through number: Int64, before date: Date) throws -> Int { 0 }
    func putZone(_ number: Int64, named name: String) throws { zoneNames[number] = name }

    func removeZone(_ number: Int64) throws {
        zoneNames[number] = nil
        places = places.filter { $0.value != number }
    }

    func setZone(_ zone: Int64, of keys: [ObjectKey]) throws {
        for key in keys { places[key] = zone == 0 ? nil : zone }
    }
}

/// A store that is nothing but a journal in dictionaries, used by one thread.
final class MemoryJournalStore: JournalingStore {
    static let typeName = "MemoryJournal"

    nonisolated(unsafe) let journal = MemoryJournal()
    /// The last transaction that was made durable.
    nonisolated(unsafe) private(set) var durableNumber: Int64?
    let identifier = UUID()
    let assets: any AssetStorage = NoAssets()

    init() {}
    init(_ configuration: StoreConfiguration) throws {}

    func readJournal<Result>(_ body: (any JournalReading) throws -> Result) throws -> Result { try body(journal) }

    func writeJournal<Result>(author: String, _ body: (any JournalWriting) throws -> Result) throws -> Result {
        journal.number += 1
        return try body(journal)
    }

    func makeDurable() throws { durableNumber = journal.number }

    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try journal.rows(of: entity, keys: keys)
    }

    private var isNoStore: BackstitchError { BackstitchError(.invalidRequest, "a journal in memory is no whole store") }
    func save(_ request: SaveChangesRequest) throws -> SaveResult { throw isNoStore }
    func execute(_ request: StoreBatchRequest) throws -> StoreChanges { throw isNoStore }
    func fetch(_ request: StoreFetchRequest) throws -> RowBatch { throw isNoStore }
    func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] { throw isNoStore }
    func count(_ request: StoreFetchRequest) throws -> Int { throw isNoStore }
    func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows { throw isNoStore }
    func related(
        by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]
    ) throws -> RelatedRows { throw isNoStore }
    func close() {}
}

private struct NoAssets: AssetStorage {
    private var none: BackstitchError { BackstitchError(.asset, "a journal in memory keeps no assets") }
    func reference(to data: Data) -> AssetReference { AssetReference(checksum: "", size: Int64(data.count)) }
    func write(_ contents: AssetContents) throws { throw none }
    func read(_ reference: AssetReference) throws -> Data? { nil }
    func contains(_ reference: AssetReference) -> Bool { false }
    func accept(_ data: Data, as reference: AssetReference) throws { throw none }
    func remove(_ reference: AssetReference) throws {}
}
