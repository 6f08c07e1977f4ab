import Backstitch
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

/// A synced store in memory over any transport, and notes in it by number; without contexts.
final class BareStore: Sendable {
    let store: SyncStore
    private let note: ResolvedEntity

    init(
        _ transport: any Transport, _ more: [StoreOption: any Sendable] = [:],
        engine: SyncEngine.Settings = .init()
    ) throws {
        let model = try SyncTestModel.resolved()
        note = try model.requireEntity(named: "Note")
        var raw: [StoreOption: any Sendable] = [
            .syncServerURL: "http://127.0.0.1:8080", .syncAutomatically: false,
            .syncConflictResolutionPolicy: "clientWins",
        ]
        raw.merge(more) { $1 }
        let clock = SystemClock()
        let options = try StoreOptions(raw, specifications: SyncStore.optionSpecifications(for: raw))
        store = try SyncStore(
            StoreConfiguration(model: model, url: nil, options: options, clock: clock, keepsOutbox: true),
            transport: transport, clock: clock, random: SystemChance.generator, engine: engine)
    }

    @discardableResult
    func sync() async throws -> SyncSummary { try await store.sync.sync() }

    /// Makes a note, or changes the one that is there.
    func write(_ values: [String: Value], to number: UInt64) throws {
        let before = try store.rows(of: note, keys: [key(number)])
        var builder = RowBatchBuilder(entity: note, capacity: 1)
        builder.beginRow(key: key(number), version: before.versions.first ?? 1)
        for column in note.columns {
            if let value = values[column.name] {
                builder.append(value)
            } else if before.count == 1 {
                builder.appendCell(column.slot, row: 0, of: before)
            } else {
                builder.append(note.defaults[column.slot])
            }
        }
        var request = SaveChangesRequest()
        if before.count == 1 {
            let changed = PropertySet(try values.keys.map { try note.requireProperty(named: $0).slot })
            request.updates = [RowUpdate(rows: builder.finish(), originals: before, changed: [changed])]
        } else {
            request.inserts = [builder.finish()]
        }
        _ = try store.save(request)
    }

    /// Makes notes in one save.
    func insert(_ numbers: ClosedRange<UInt64>) throws {
        var builder = RowBatchBuilder(entity: note, capacity: numbers.count)
        for number in numbers {
            builder.beginRow(key: key(number), version: 1)
            for column in note.columns { builder.append(note.defaults[column.slot]) }
        }
        var request = SaveChangesRequest()
        request.inserts = [builder.finish()]
        _ = try store.save(request)
    }

    func text(_ name: String, of number: UInt64) throws -> String? {
        let rows = try store.rows(of: note, keys: [key(number)])
        guard rows.count == 1, case .string(let text) = rows.value(0, try note.requireProperty(named: name).slot) else {
            return nil
        }
        return text
    }

    var count: Int { get throws { try store.backing.readJournal { try $0.allKeys(of: note).count } } }

    func isUnsent(_ number: UInt64) throws -> Bool {
        try store.backing.readJournal { try $0.outbox(for: [key(number)])[key(number)] } != nil
    }
}
