import Backstitch
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("a reader that is pinned while a sync brings much")
struct PinnedReaderTests {
    @Test("sees one list and fires its faults from it while 10,000 records come; moving on shows all of them")
    func pinned() async throws {
        try await SyncWorld.run { world in
            let view = try WireView(world)
            try await view.makeZone()
            let old = 0..<200, new = 200..<10_200
            try await view.createNotes(old)
            let device = try world.device("phone")
            try await device.sync.sync()

            let reader = device.container.newBackgroundContext()
            try await reader.perform { context in
                try context.setQueryGeneration(from: .current)
                for number in old { try expectSteady(context, old, fault: number) }
            }
            for number in old where number % 4 == 0 { try await view.delete(noteID(UInt64(number))) }
            for number in old where number % 4 != 0 {
                try await view.change(noteID(UInt64(number)), ["title": .string("changed")])
            }
            for start in stride(from: new.lowerBound, to: new.upperBound, by: 2_000) {
                try await view.createNotes(start..<start + 2_000)
            }

            let isOver = Locked(false)
            let sync = Task {
                defer { isOver.withLock { $0 = true } }
                return try await device.sync.sync()
            }
            var looks = 0, sizes: Set<Int> = []
            while !isOver.withLock({ $0 }) {
                let number = looks % old.count
                try await reader.perform { try expectSteady($0, old, fault: number) }
                sizes.insert(try await device.read { try $0.count(for: FetchRequest<TestNote>()) })
                looks += 1
            }
            let summary = try await sync.value
            print("counted: \(looks) looks of a pinned reader, beside whom the list had \(sizes.count) sizes")
            #expect(summary.received == new.count + old.count)
            #expect(sizes.count > 2, "the sync was over at once")

            try await reader.perform { context in
                for number in old { try expectSteady(context, old, fault: number) }
                context.mergeChangesFromParent()
                let all = try context.fetch(FetchRequest<TestNote>())
                #expect(all.count == new.count + old.count * 3 / 4)
                #expect(all.filter { $0.title == "changed" }.count == old.count * 3 / 4)
            }
        }
    }
}

/// The list is unchanged, and so is the object of a newly filled fault.
private func expectSteady(_ context: ManagedObjectContext, _ numbers: Range<Int>, fault number: Int) throws {
    #expect(try context.count(for: FetchRequest<TestNote>()) == numbers.count)
    #expect(try context.count(for: FetchRequest<TestNote>(where: "title == 'changed'")) == 0)
    let note = try #require(try context.existingObject(with: noteID(UInt64(number))) as? TestNote)
    context.refresh(note, mergeChanges: false)
    #expect(note.isFault)
    #expect(note.title == "note \(number)")
}
