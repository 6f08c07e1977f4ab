import Backstitch
import BackstitchSync
import TestSupport
import Testing

/// The table of ``MergePolicy`` holds if sync brings the change of another device while a context has unsaved edits.
@Suite("unsaved edits of a context that sync meets", .scenario)
struct UnsavedEditTests: ScenarioSuite {
    /// The change that the context has not saved.
    enum Mine: CaseIterable { case edit, delete, link }

    /// The change that sync brings: an edit, a deletion, or the deletion of a folder with all that is in it.
    enum Theirs: CaseIterable { case edit, delete, cascade }

    /// A note with two changes. Each has a context of its own.
    struct Meeting {
        let mine: Mine
        let theirs: Theirs
        let merges: Bool
        let depth: Int
        let number: UInt64

        /// Every pair of changes in every mode.
        static let all: [Meeting] = {
            var all: [Meeting] = []
            for mine in Mine.allCases {
                for theirs in Theirs.allCases {
                    for merges in [true, false] {
                        for depth in 0...1 {
                            let number = UInt64(all.count + 1)
                            all.append(
                                Meeting(mine: mine, theirs: theirs, merges: merges, depth: depth, number: number))
                        }
                    }
                }
            }
            return all
        }()

        var note: ObjectID { ObjectID(entityName: "Note", key: key(number)) }
        var folder: ObjectID { ObjectID(entityName: "Folder", key: key(1_000 + number)) }
        var areBothDeletions: Bool { mine == .delete && theirs != .edit }
        /// A link changes another property than an edit.
        var isMerged: Bool { mine == .link && theirs == .edit }

        /// The stored title at the end; nil if the note is gone.
        func title(_ policy: MergePolicy) -> String? {
            if isMerged { return "theirs" }
            guard policy == .mergeByPropertyObjectTrump || policy == .overwrite else {
                return theirs == .edit ? "theirs" : nil
            }
            return switch mine {
            case .edit: "mine"
            case .delete: nil
            case .link: "base"
            }
        }
    }

    private static let tag = ObjectID(entityName: "Tag", key: key(5_000))

    @Test("the policy settles it as in the table, and both devices have the same", arguments: MergePolicy.allCases)
    @MainActor func table(_ policy: MergePolicy) async throws {
        let (a, b) = try s.pair()
        try await a.edit { context in
            try context.make("Tag", ["name": "t"], number: 5_000)
            for meeting in Meeting.all {
                let folder = try context.make("Folder", ["name": "f"], number: 1_000 + meeting.number)
                let note = try context.make("Note", ["title": "base"], number: meeting.number)
                try note.setObject(folder, forKey: "folder")
            }
        }
        try await s.settle()
        let edits = try Meeting.all.map { try OpenEdit($0, policy, b.container.coordinator, tag: Self.tag) }
        try await a.edit { context in
            for meeting in Meeting.all {
                let note = try context.existingObject(with: meeting.note)
                switch meeting.theirs {
                case .edit: try note.setValue("theirs", forKey: "title")
                case .delete: context.delete(note)
                case .cascade: context.delete(try context.existingObject(with: meeting.folder))
                }
            }
        }
        try await s.sync(a, b)
        for edit in edits { try check(edit, policy) }
        try await s.settle()
        for device in [a, b] {
            for meeting in Meeting.all {
                let (title, tags, hasFolder) = try await device.read { context in
                    let request = try FetchRequest<ManagedObject>(entityName: "Note", where: "SELF == %@", meeting.note)
                    let note = try context.fetch(request).first
                    let title = try note?.value(forKey: "title")
                    return (
                        title, try note?.objects(forKey: "tags").count, try note?.object(forKey: "folder") != nil
                    )
                }
                let expected = meeting.title(policy)
                #expect(title == expected.map(Value.string), "\(policy): \(meeting)")
                guard expected != nil else { continue }
                #expect(hasFolder == (meeting.theirs != .cascade), "\(policy): \(meeting)")
                let keepsLink = meeting.mine == .link && (meeting.isMerged || expected == "base")
                if policy != .error, policy != .rollback { #expect((tags == 1) == keepsLink, "\(policy): \(meeting)") }
            }
        }
    }

    /// Saves an edit, and checks whether that throws.
    @MainActor private func check(_ edit: OpenEdit, _ policy: MergePolicy) throws {
        let threw = try edit.save()
        if policy == .error, edit.meeting.areBothDeletions || edit.meeting.isMerged {
            // This is no conflict for a context that has merged the change.
            if edit.meeting.merges { #expect(!threw, "\(policy): \(edit.meeting)") }
        } else {
            #expect(threw == (policy == .error), "\(policy): \(edit.meeting)")
        }
    }
}

/// An unsaved change of a note, in a context or in a child of one.
@MainActor private final class OpenEdit {
    let meeting: UnsavedEditTests.Meeting
    /// The contexts from the top down.
    private let contexts: [ManagedObjectContext]

    init(
        _ meeting: UnsavedEditTests.Meeting, _ policy: MergePolicy, _ coordinator: PersistentStoreCoordinator,
        tag: ObjectID
    ) throws {
        self.meeting = meeting
        var contexts = [ManagedObjectContext(coordinator: coordinator)]
        if meeting.depth == 1 { contexts.append(ManagedObjectContext(parent: contexts[0])) }
        for context in contexts {
            context.mergePolicy = policy
            context.automaticallyMergesChangesFromParent = meeting.merges
        }
        self.contexts = contexts
        let context = contexts[contexts.count - 1]
        let note = try context.existingObject(with: meeting.note)
        #expect(try note.value(forKey: "title") == "base")
        switch meeting.mine {
        case .edit: try note.setValue("mine", forKey: "title")
        case .delete: context.delete(note)
        case .link: try note.add(context.existingObject(with: tag), to: "tags")
        }
    }

    /// Saves from the bottom up. If a save throws, the change is given up.
    ///
    /// - Returns: Whether a save has thrown.
    func save() throws -> Bool {
        do {
            for context in contexts.reversed() { try context.save() }
            return false
        } catch let error as BackstitchError where error.code == .saveConflict {
            for context in contexts.reversed() { context.rollback() }
            return true
        }
    }
}
