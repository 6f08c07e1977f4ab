import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

/// A store with an outbox, and the steps of sync by hand.
final class JournalBench {
    let store: SQLiteStore
    let model: SyncedModel
    let settings: ApplySettings
    let sweep = FullFetchTracker()
    let clock = VirtualClock()
    private var token: String?
    private var tokens = 0

    init(_ policy: ConflictResolutionPolicy = .serverWins, excluded: Set<String> = [], device: String? = nil) throws {
        let resolved = try SyncTestModel.resolved()
        model = SyncedModel(resolved)
        store = try SQLiteStore(
            StoreConfiguration(model: resolved, url: nil, options: StoreOptions(), clock: clock, keepsOutbox: true))
        // As with a server that names the lives of zones.
        try store.writeJournal(author: SyncAuthor.name) { try $0.set(.incarnation, to: "life") }
        var settings = ApplySettings(
            model: model, zone: "Z", names: ZoneNames(main: "Z"), resolver: policy,
            excludedAssets: excluded, assets: store.assets)
        settings.device = device
        self.settings = settings
    }

    /// The same store, as another process has it open.
    init(sharing other: JournalBench) {
        (store, model) = (other.store, other.model)
        settings = ApplySettings(
            model: model, zone: "Z", names: ZoneNames(main: "Z"), resolver: other.settings.resolver,
            excludedAssets: [], assets: store.assets)
    }

    // MARK: Local edits

    func insert(_ number: UInt64, _ values: [String: Value] = [:], of entity: String = "Note") throws {
        var request = SaveChangesRequest()
        request.inserts = [try rows(entity, [(key(number), values)])]
        _ = try store.save(request)
    }

    /// Inserts many objects in one save.
    func insert(_ entity: String, _ numbers: ClosedRange<UInt64>, _ values: (UInt64) -> [String: Value]) throws {
        var request = SaveChangesRequest()
        request.inserts = [try rows(entity, numbers.map { (key($0), values($0)) })]
        _ = try store.save(request)
    }

    func update(_ number: UInt64, _ values: [String: Value], of entity: String = "Note") throws {
        let entity = try resolved(entity)
        let before = try store.rows(of: entity, keys: [key(number)])
        try #require(before.count == 1)
        var builder = RowBatchBuilder(entity: entity, capacity: 1)
        builder.beginRow(key: key(number), version: before.versions[0])
        for column in entity.columns {
            if let value = values[column.name] {
                builder.append(value)
            } else {
                builder.appendCell(column.slot, row: 0, of: before)
            }
        }
        var request = SaveChangesRequest()
        let changed = PropertySet(try values.keys.map { try entity.requireProperty(named: $0).slot })
        request.updates = [RowUpdate(rows: builder.finish(), originals: before, changed: [changed])]
        _ = try store.save(request)
    }

    func delete(_ number: UInt64, of entity: String = "Note") throws {
        var request = SaveChangesRequest()
        request.deletes = [try store.rows(of: resolved(entity), keys: [key(number)])]
        _ = try store.save(request)
    }

    func link(_ note: UInt64, add: [UInt64] = [], remove: [UInt64] = []) throws {
        var request = SaveChangesRequest()
        request.links = [try tagLinks(note, add: add, remove: remove)]
        _ = try store.save(request)
    }

    // MARK: Steps of sync

    /// Takes the store as it is, as a pull does that begins.
    func begin() throws { _ = try store.beginPull(sweep, settings.generation) }

    @discardableResult
    func apply(_ records: [WireRecord], more: Bool = false) throws -> AppliedChanges {
        try apply(fetch(records, more: more))
    }

    /// A page that the server gives now, for a later application.
    func fetch(_ records: [WireRecord], more: Bool = false) throws -> FetchedPage {
        let base = try store.beginPull(sweep, settings.generation).token
        tokens += 1
        return FetchedPage(base: base, token: "token \(tokens)", moreComing: more, records: records)
    }

    @discardableResult
    func apply(_ page: FetchedPage) throws -> AppliedChanges {
        try PageApplier(settings: settings, sweep: sweep, clock: clock).apply(page, to: store)
    }

    func prepare(
        limits: WireLimits = .standard, ceiling: BatchCeiling? = nil, excluding: Set<ObjectKey> = []
    ) throws -> PreparedBatch {
        try BatchBuilder(
            model: model, zone: "Z", storeIdentifier: store.identifier, limits: limits, assets: store.assets,
            automaticAssets: settings.automaticAssets, generation: settings.generation
        ).prepare(from: store, ceiling: ceiling, excluding: excluding)
    }

    @discardableResult
    func settle(_ batch: PushBatch, _ answers: PushReply.Answer...) throws -> SettledBatch {
        try settle(batch, PushReply(answers: answers))
    }

    @discardableResult
    func settle(_ batch: PushBatch, _ reply: PushReply) throws -> SettledBatch {
        try BatchSettler(settings: settings, clock: clock, time: SteadyTime(clock)).settle(batch, reply, in: store)
    }

    /// The server has refused the batch as a whole, or it was never sent.
    func takeBack(_ batch: PushBatch) throws {
        try store.writeJournal(author: SyncAuthor.name) { try $0.takeBack(batch.attempts) }
    }

    /// The zone is lost, and everything is to be sent to the next one.
    func forgetZone() throws {
        try store.forgetZone(model, settings.generation, isAsked: false)
        try store.writeJournal(author: SyncAuthor.name) { try $0.set(.incarnation, to: "next life") }
        try begin()
    }

    /// Sends everything to a server that takes it.
    func pushAll() throws {
        while let batch = try prepare().batch {
            _ = try BatchSettler(settings: settings, clock: clock, time: SteadyTime(clock)).settle(
                batch, PushReply(answers: batch.items.map { .done(changeTag: "pushed \($0.entry.sequence)") }),
                in: store)
        }
    }

    // MARK: Reading

    func values(_ number: UInt64, of entity: String = "Note") throws -> [String: Value]? {
        let entity = try resolved(entity)
        let rows = try store.rows(of: entity, keys: [key(number)])
        guard rows.count == 1 else { return nil }
        return Dictionary(uniqueKeysWithValues: entity.columns.map { ($0.name, rows.value(0, $0.slot)) })
    }

    func value(_ number: UInt64, _ name: String) throws -> Value? { try values(number)?[name] }

    func entry(_ number: UInt64) throws -> OutboxEntry? {
        try store.readJournal { try $0.outbox(for: [key(number)])[key(number)] }
    }

    func state(_ number: UInt64) throws -> RecordState? {
        try store.readJournal { try $0.recordStates(for: [key(number)])[key(number)] }
    }

    func tags(_ note: UInt64) throws -> [ObjectKey] {
        let entity = try resolved("Note")
        let tags = try entity.requireProperty(named: "tags")
        return try store.readJournal { try $0.links(of: tags, in: entity, sources: [key(note)])[key(note)] ?? [] }
            .sorted()
    }

    func metadata(_ key: String) throws -> Data? { try store.readJournal { try $0.metadata(for: key) } }

    func counts() throws -> (waiting: Int, blocked: Int) { try store.readJournal { try $0.outboxCounts() } }

    // MARK: Making

    private func resolved(_ name: String) throws -> ResolvedEntity { try model.model.requireEntity(named: name) }

    private func rows(_ entity: String, _ objects: [(ObjectKey, [String: Value])]) throws -> RowBatch {
        let entity = try resolved(entity)
        var builder = RowBatchBuilder(entity: entity, capacity: objects.count)
        for (key, values) in objects {
            builder.beginRow(key: key, version: 1)
            for column in entity.columns { builder.append(values[column.name] ?? .null) }
        }
        return builder.finish()
    }

    private func tagLinks(_ note: UInt64, add: [UInt64], remove: [UInt64]) throws -> LinkChange {
        let entity = try resolved("Note")
        return LinkChange(
            entity: entity, property: try entity.requireProperty(named: "tags"),
            added: add.map { .init(source: key(note), target: key($0)) },
            removed: remove.map { .init(source: key(note), target: key($0)) })
    }
}

/// A record as the server has it.
func record(
    _ number: UInt64, _ tag: String, _ fields: [String: WireValue?] = [:], type: String = "Note"
) -> WireRecord {
    WireRecord(recordName: key(number).uuidString, recordType: type, recordChangeTag: tag, fields: fields)
}

func tombstone(_ number: UInt64) -> WireRecord { WireRecord(recordName: key(number).uuidString, deleted: true) }
