import Backstitch
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

/// The work of a step depends on its objects, and not on the number of objects that are moving.
@Suite("many moves at once")
struct MoveScaleTests {
    private let model: SyncedModel
    private let entity: ResolvedEntity

    init() throws {
        let resolved = try SyncTestModel.resolved()
        (model, entity) = (SyncedModel(resolved), try resolved.requireEntity(named: "Note"))
    }

    /// A store with objects in the main zone that are known to the server, with a note about the record of each in a
    /// zone.
    private func store(
        _ count: UInt64, zone: Int64 = 0, _ state: (UInt64) -> MoveNote.State
    ) throws -> MemoryJournalStore {
        let store = MemoryJournalStore()
        let journal = store.journal
        journal.zoneNames = [1: "Club"]
        try ZoneWriter(journal, 1).set(.token, to: "token")
        try ZoneWriter(journal, 1).set(.setUp, to: true)
        for number in 0..<count {
            let id = noteID(number)
            journal.values[id.key] = entity.columns.map { _ in .null }
            journal.states[id.key] = RecordState(objectID: id, changeTag: "t")
            try journal.setMove(
                of: ZonedKey(zone: zone, key: id.key), to: MoveNote(entityName: "Note", state: state(number)))
        }
        return store
    }

    private func builder(
        _ store: MemoryJournalStore, zone: Int64, _ limits: WireLimits = .extended
    ) -> BatchBuilder {
        var builder = BatchBuilder(
            model: model, zone: zone == 0 ? "Z" : "Z.Club", storeIdentifier: store.identifier, limits: limits,
            assets: store.assets)
        (builder.zoneNumber, builder.followsMoves) = (zone, true)
        return builder
    }

    private func settings(_ store: MemoryJournalStore, zone: Int64) -> ApplySettings {
        var settings = ApplySettings(
            model: model, zone: zone == 0 ? "Z" : "Z.Club", names: ZoneNames(main: "Z"),
            resolver: ConflictResolutionPolicy.serverWins, excludedAssets: [], assets: store.assets)
        (settings.zoneNumber, settings.followsMoves, settings.mayMove) = (zone, true, true)
        return settings
    }

    /// Runs a step in two stores of different sizes, and returns what each of them has read for it.
    private func reads(
        zone: Int64 = 0, _ state: (UInt64) -> MoveNote.State, _ step: (MemoryJournalStore) throws -> Void
    ) throws -> (some: Int, more: Int, largest: Int) {
        var counts: [Int] = [], largest = 0
        for count: UInt64 in [1_000, 2_000] {
            let store = try store(count, zone: zone, state)
            (store.journal.rowsRead, store.journal.largestRead) = (0, 0)
            try step(store)
            counts.append(store.journal.rowsRead)
            largest = max(largest, store.journal.largestRead)
        }
        return (counts[0], counts[1], largest)
    }

    @Test("a batch of moves reads its own objects")
    func batch() throws {
        let reads = try reads {
            .wanted(WantedMove(to: 1, rank: Int($0)))
        } _: { store in
            let journal = store.journal
            let keys = (0..<50).map { noteID($0).key }
            let choice = MoveChoice(
                builder: builder(store, zone: 1), keys: keys, former: 0, formerPlace: ZoneID(zoneName: "Z"),
                isWhole: true, most: 50, tried: [:])
            let batch = try #require(try choice.next(in: journal))
            #expect(batch.items.map(\.entry.objectID.key) == keys)
        }
        #expect(reads.some == reads.more && reads.some > 50)
    }

    @Test("the route of all of them is read once, a page at a time, and parents come first")
    func route() throws {
        let reads = try reads {
            .wanted(WantedMove(to: 1, rank: 5_000 - Int($0)))
        } _: { store in
            let routes = try store.journal.routes()
            #expect(routes.count == 1 && routes.first?.from == 0 && routes.first?.to == 1)
            let keys = try #require(routes.first).keys
            #expect(keys == keys.sorted().reversed())
        }
        #expect(reads.some == 1_000 && reads.more == 2_000 && reads.largest <= MoveNotes.page)
    }

    @Test("a page of news reads its own objects")
    func page() throws {
        let reads = try reads { _ in
            .gone(GoneRecord())
        } _: { store in
            let journal = ZoneWriter(store.journal, 0)
            var applier = try RemoteChangeApplier(journal: journal, settings: settings(store, zone: 0))
            let news = (UInt64(0)..<20).map { number in
                RemoteChange(
                    deleted: noteID(number).key.uuidString, isReported: true, movedTo: "Z.Club", zone: "Z")
            }
            #expect(try applier.apply(news).mayMove)
            #expect(try journal.move(of: ZonedKey(zone: 0, key: noteID(7).key))?.gone?.to == "Z.Club")
        }
        #expect(reads.some == reads.more && reads.some > 20)
    }

    @Test("a push reads its own objects, and holds back those that are gone")
    func push() throws {
        let reads = try reads { _ in
            .gone(GoneRecord())
        } _: { store in
            // The oldest changes are held back.
            for number in 0..<40 as Range<UInt64> {
                let id = noteID(number < 30 ? number : number + 10_000)
                store.journal.values[id.key] = entity.columns.map { _ in .null }
                store.journal.entries[id.key] = OutboxEntry(
                    objectID: id, kind: .insert, sequence: Int64(number) + 1, firstSequence: Int64(number) + 1)
            }
            let prepared = try builder(
                store, zone: 0,
                .init(
                    operations: 4, bytes: 1_000_000, page: 10, record: 1_000_000, asset: 1_000_000)
            ).prepare(from: store, ceiling: nil, excluding: [])
            #expect(prepared.batch?.items.map(\.entry.objectID) == (10_030..<10_034).map { noteID($0) })
        }
        #expect(reads.some == reads.more && reads.some > 30)
    }

    @Test("parked records are read some at a time, and each once")
    func arrivals() throws {
        let reads = try reads(zone: 1) { number in
            .second(name: noteID(number).key.uuidString, since: nil, isTold: false)
        } _: { store in
            let club = ZoneWriter(store.journal, 1)
            for key in store.journal.states.keys {
                let record = WireRecord(recordName: key.uuidString, recordType: "Note")
                try club.setNote(.parked, of: key.uuidString, to: ParkedNote(reason: "second", record: record))
            }
            store.journal.rowsRead = 0
            let settings = [0: settings(store, zone: 0), 1: settings(store, zone: 1)] as [Int64: ApplySettings]
            var arrivals = MoveArrivals(settings: settings, mayMove: true, patience: 0, now: 0)
            try arrivals.settle(in: store.journal) { _ in false }
            #expect(arrivals.twins.isEmpty)
            try arrivals.settle(in: store.journal) { _ in true }
            #expect(arrivals.twins.count == store.journal.states.count)
        }
        #expect(reads.more <= reads.some * 2 && reads.largest <= MoveArrivals.page)
    }
}
