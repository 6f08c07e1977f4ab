import Backstitch
import Foundation
import TestSupport

/// Saves without end: new notes, new titles, deletions. Of the notes that others edit too (`rank` even) none is
/// deleted.
struct Storm {
    private var random: UInt64
    private let container: PersistentContainer

    init(seed: UInt64, container: PersistentContainer) {
        random = seed | 1
        self.container = container
    }

    mutating func run() async throws {
        while true {
            let (choice, revision) = (next(), next())
            let number = next()
            SyncProbe.say("begin")
            let done = try await container.perform { context -> String in
                let notes = try context.fetch(FetchRequest<TestNote>(sortedBy: [.ascending("created")]))
                let what = Self.change(notes, choice, revision, number, in: context)
                SyncProbe.say("will \(what)")
                try context.save()
                return what
            }
            SyncProbe.say("did \(done)")
        }
    }

    /// Makes a change, and says it as `KIND ID TITLE`.
    private static func change(
        _ notes: [TestNote], _ choice: UInt64, _ revision: UInt64, _ number: UInt64, in context: ManagedObjectContext
    ) -> String {
        let mortal = notes.filter { $0.rank % 2 == 1 }
        if choice % 10 < 4 || notes.isEmpty || notes.count < 5 {
            let note = TestNote(context: context)
            note.title = "\(revision)"
            note.rank = Int(number % 2)
            return "insert \(note.objectID.key.uuidString) \(revision)"
        }
        if choice % 10 < 8 || mortal.isEmpty || notes.count < 30 {
            let note = notes[Int(number % UInt64(notes.count))]
            note.title = "\(revision)"
            return "update \(note.objectID.key.uuidString) \(revision)"
        }
        let note = mortal[Int(number % UInt64(mortal.count))]
        context.delete(note)
        return "delete \(note.objectID.key.uuidString) -"
    }

    /// A number below 2^31 (Marsaglia, "Xorshift RNGs", 2003).
    private mutating func next() -> UInt64 {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return random >> 33
    }
}
