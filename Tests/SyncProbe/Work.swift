import Backstitch
import BackstitchSupport
import Foundation
import TestSupport

/// A user who works until `rest`. He makes notes, edits the `body` of his own, and tags and ranks any note. Notes whose
/// titles end with `m` are never edited, and he deletes some of them.
///
/// Each save is reported before (`will`) and after (`did`, or `no` when it was refused): `KIND KEY VALUE`.
struct Work {
    let name: String
    private var random: UInt64
    private var number: Int
    /// The zone of what is made; nil for the main one.
    private let zone: String?

    /// - Parameter number: Greater than any that a work of this name has written.
    init(name: String, seed: UInt64, number: Int, zone: String?) {
        self.name = name
        self.zone = zone
        random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        self.number = number
    }

    /// A change to be made.
    private struct Act: Sendable {
        var kind: String
        var key: String
        var value: String

        var line: String { "\(kind) \(key) \(value)" }
    }

    /// Does one thing.
    mutating func step(_ container: PersistentContainer) async throws {
        let (choice, place, other, name, zone) = (next() % 100, next(), next(), name, zone)
        number += 1
        let number = number
        let told = Locked<Act?>(nil)
        do {
            try await container.perform { context in
                let notes = try context.fetch(FetchRequest<TestNote>(sortedBy: [.ascending("title")]))
                guard let act = try Self.change(notes, choice, place, other, name, number, in: context) else { return }
                if let zone { for object in context.insertedObjects { try context.assign(object, toZone: zone) } }
                told.withLock { $0 = act }
                SyncProbe.say("will \(act.line)")
                try context.save()
            }
            if let act = told.withLock({ $0 }) { SyncProbe.say("did \(act.line)") }
        } catch let error as BackstitchError {
            // Another user was faster. An unknown outcome is reported as such.
            guard let act = told.withLock({ $0 }) else { return SyncProbe.say("failed \(error)".oneLine) }
            let isKnown = error.code == .saveConflict || error.code == .objectNotFound
            SyncProbe.say("\(isKnown ? "no" : "perhaps") \(act.line)")
        } catch is CancellationError {
            // It is to rest, and either had not begun or its progress is unknown.
            if let act = told.withLock({ $0 }) { SyncProbe.say("perhaps \(act.line)") }
        }
    }

    /// Milliseconds until the next thing is done.
    mutating func pause() -> Int { Int(next() % 60) }

    private static func change(
        _ notes: [TestNote], _ choice: UInt64, _ place: UInt64, _ other: UInt64, _ name: String, _ number: Int,
        in context: ManagedObjectContext
    ) throws -> Act? {
        func any(_ notes: [TestNote]) -> TestNote? {
            notes.isEmpty ? nil : notes[Int(place % UInt64(notes.count))]
        }
        let own = notes.filter { $0.title == "\(name)-s" }
        let shared = notes.filter { $0.title?.hasSuffix("-s") == true }
        switch choice {
        case 0..<40:
            guard let note = any(own) else { break }
            note.body = "\(name)-\(number)"
            return Act(kind: "body", key: note.key.uuidString, value: note.body ?? "")
        case 40..<55:
            let tags = try context.fetch(FetchRequest<TestTag>(sortedBy: [.ascending("name")]))
            guard let note = any(shared), !tags.isEmpty else { break }
            let tag = tags[Int(other % UInt64(tags.count))]
            guard !note.tags.contains(tag) else { break }
            note.tags.insert(tag)
            return Act(kind: "tag", key: note.key.uuidString, value: tag.key.uuidString)
        case 55..<72:
            guard let note = any(shared) else { break }
            note.rank = number
            return Act(kind: "rank", key: note.key.uuidString, value: "\(number)")
        case 72..<80:
            guard let note = any(notes.filter { $0.title?.hasSuffix("-m") == true }) else { break }
            context.delete(note)
            return Act(kind: "delete", key: note.key.uuidString, value: "-")
        default: break
        }
        // More of them only make each step slower.
        guard own.count < 25 || choice >= 90 else { return nil }
        let note = TestNote(context: context)
        note.title = "\(name)-\(choice % 3 == 0 || own.count >= 25 ? "m" : "s")"
        note.body = "\(name)-\(number)"
        return Act(kind: "insert", key: note.key.uuidString, value: note.body ?? "")
    }

    /// A number below 2^31 (Marsaglia, "Xorshift RNGs", 2003).
    private mutating func next() -> UInt64 {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return random >> 33
    }
}

extension String {
    var oneLine: String { replacing("\n", with: " ") }
}
