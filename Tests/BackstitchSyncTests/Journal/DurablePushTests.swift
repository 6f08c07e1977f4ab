import Backstitch
import BackstitchSQL
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

/// A power cut must not take from a store that it has sent something.
@Suite("pushes are on the disk before they leave")
struct DurablePushTests {
    private let store = MemoryJournalStore()
    private let model: SyncedModel

    init() throws { model = SyncedModel(try SyncTestModel.resolved()) }

    private func prepare() throws -> PreparedBatch {
        try BatchBuilder(
            model: model, zone: "Z", storeIdentifier: store.identifier, limits: .standard, assets: store.assets
        ).prepare(from: store, ceiling: nil, excluding: [])
    }

    private func insertNote() throws {
        let id = noteID(1), note = try model.model.requireEntity(named: "Note")
        store.journal.values[id.key] = note.defaults
        store.journal.entries[id.key] = OutboxEntry(objectID: id, kind: .insert, sequence: 1, firstSequence: 1)
    }

    @Test("a batch is given only when the note that it may have arrived is on the disk")
    func batch() throws {
        try insertNote()
        #expect(try prepare().batch?.items.count == 1)
        #expect(try store.readJournal { try $0.unansweredInserts().sequences.count } == 1)
        #expect(store.durableNumber == store.journal.number)
    }

    @Test("when there is nothing to send, nobody waits for the disk")
    func nothing() throws {
        #expect(try prepare().batch == nil)
        #expect(store.durableNumber == nil)
    }
}
