import Backstitch
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("a link that is saved when one of its ends has just gone", .scenario)
struct LinkRaceTests: ScenarioSuite {
    @Test("is a conflict of the save, and blocks nothing", arguments: [true, false])
    func taggingAgainstDeleting(deletesTag: Bool) async throws {
        let a = try s.device(), b = try s.device("b")
        let note = try await a.addNote("note")
        let tag = try await a.edit { TestTag(context: $0).objectID }
        try await s.settle(a, b)
        try await a.delete(deletesTag ? tag : note)
        try await a.sync.sync()
        // The deletion arrives between the fetch and the save.
        let (isFetched, hasArrived) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let error = b.container.perform { context -> BackstitchError? in
            let found = try context.existingObject(with: note) as? TestNote
            if let tag = try context.existingObject(with: tag) as? TestTag { found?.tags = [tag] }
            isFetched.signal()
            hasArrived.wait()
            do { try context.save() } catch let error as BackstitchError { return error }
            return nil
        }
        try await onThread { isFetched.wait() }
        try await b.sync.sync()
        hasArrived.signal()
        let conflict = try await error
        #expect(conflict?.code == .saveConflict && conflict?.objectID == (deletesTag ? tag : note))
        try await b.sync.sync()
        #expect(try await b.sync.blocked.changes().isEmpty)
        #expect(try await b.sync.status.pendingCount == 0)
        try await s.settle(a, b)
    }

    @Test("of a store that has such a change already, it is forgotten", arguments: [true, false])
    func leftOver(isBlocked: Bool) async throws {
        let a = try s.device(), b = try s.device("b")
        let note = try await a.addNote("note")
        let other = try await a.addNote("other")
        let tag = try await a.edit { TestTag(context: $0).objectID }
        try await s.settle(a, b)
        try await a.delete(note)
        try await s.settle(a, b)
        let entity = try b.container.coordinator.model.requireEntity(named: "Note")
        let tags = try entity.requireProperty(named: "tags")
        try b.store.backing.writeJournal(author: "test") { journal in
            try journal.change(
                LinkChange(entity: entity, property: tags, added: [.init(source: note.key, target: tag.key)]))
            let number = try journal.lastTransactionNumber()
            try journal.putOutbox([
                OutboxEntry(
                    objectID: note, kind: .update, sequence: number, firstSequence: number,
                    fields: [.init(name: "tags", sequence: number, base: .links([]))],
                    blockedReason: isBlocked ? "has unsent changes, but is not in the store" : nil)
            ])
        }
        try b.close()
        let again = try s.device("b")
        try await again.change(other) { note, _ in note.title = "edited" }
        let summary = try await again.sync.sync()
        #expect(summary.sent == 1 && summary.blocked.isEmpty)
        #expect(try await again.sync.blocked.changes().isEmpty)
        #expect(try await again.sync.status.pendingCount == 0)
        // Nothing of the link is left for an object that comes back.
        try await a.edit { context in try context.insertObject(with: note).setValue("again", forKey: "title") }
        try await s.settle(a, again)
        #expect(try await again.titles() == ["again", "edited"])
    }
}
