import Backstitch
import BackstitchSync
import CloudWire
import TestSupport
import Testing

@Suite("objects whose parent others have deleted, without knowing of them", .scenario)
struct OrphanTests: ScenarioSuite {
    /// A folder that two devices have, with a note.
    private func folder(
        policy: ConflictResolutionPolicy = .serverWins, _ more: [StoreOption: any Sendable] = [:]
    ) async throws -> (SyncDevice, SyncDevice, ObjectID) {
        let (a, b) = try s.pair(policy: policy, more)
        let id = try await a.edit { context in
            let folder = TestFolder(context: context), note = TestNote(context: context)
            note.title = "known"
            note.folder = folder
            return folder.objectID
        }
        try await s.settle()
        return (a, b, id)
    }

    private func addNote(_ title: String, to folder: ObjectID, on device: SyncDevice) async throws -> ObjectID {
        try await device.addNote(title) { note, context in
            note.folder = try context.existingObject(with: folder) as? TestFolder
        }
    }

    @Test(
        "one that the server has goes with it, on every device, also when the one that has made it dies meanwhile",
        arguments: [true, false])
    func sent(dies: Bool) async throws {
        let (a, b, id) = try await folder()
        var c = try s.device("c")
        try await c.sync.sync()
        try await a.delete(id)
        _ = try await addNote("unknown to A", to: id, on: c)
        try await c.sync.sync()
        try await a.sync.sync()
        if dies {
            try await s.faults.clear()
            try await s.sync(c, .lostAnswer)
            try c.close()
            c = try s.device("c")
        }
        let summary = try await c.sync.sync()
        if !dies { #expect(summary.deleted.count == 3) }
        #expect(summary.conflicts.isEmpty)
        try await s.settle(a, b, c)
        for device in [a, b, c] { #expect(try await device.titles() == []) }
        try await s.expectNothingUnsent()
        #expect(try await s.device().sync.sync().inserted.isEmpty)
    }

    @Test(
        "one that was not sent is a conflict that the policy decides, and is told",
        arguments: ConflictResolutionPolicy.allCases)
    func unsent(_ policy: ConflictResolutionPolicy) async throws {
        let (a, b, id) = try await folder(policy: policy)
        try await a.delete(id)
        try await a.sync.sync()
        let note = try await addNote("new", to: id, on: b)
        let conflicts = try await b.sync.sync().conflicts
        #expect(conflicts.map(\.objectID) == [note] && conflicts.map(\.kind) == [.editedHereDeletedThere])
        #expect(conflicts.map(\.winner) == [policy == .serverWins ? .server : .client])
        try await s.settle()
        for device in [a, b] { #expect(try await device.titles() == (policy == .serverWins ? [] : ["new"])) }
        try await s.expectNothingUnsent()
        guard policy == .clientWins else { return }
        let folder = try await a.read { context in
            try (context.existingObject(with: note) as? TestNote)?.folder?.objectID
        }
        #expect(folder == nil)
    }

    @Test(
        "edits of one that the server has are weighed against the deletion",
        arguments: ConflictResolutionPolicy.allCases)
    func edited(_ policy: ConflictResolutionPolicy) async throws {
        let (a, b, id) = try await folder(policy: policy)
        try await a.delete(id)
        let note = try await addNote("new", to: id, on: b)
        try await b.sync.sync()
        try await a.sync.sync()
        try await b.set(note, ["body": "edited"])
        let conflicts = try await b.sync.sync().conflicts
        #expect(conflicts.map(\.keys) == [["body"]])
        try await s.settle()
        for device in [a, b] { #expect(try await device.titles() == (policy == .serverWins ? [] : ["new"])) }
    }

    @Test("a resolver is asked, and decides")
    func resolver() async throws {
        let resolvers: ConflictResolvers = ["Note": { $0.local["title"] == "keep" ? .clientWins : .serverWins }]
        let (a, b, id) = try await folder([.syncConflictResolvers: resolvers])
        try await a.delete(id)
        try await a.sync.sync()
        _ = try await addNote("keep", to: id, on: b)
        _ = try await addNote("drop", to: id, on: b)
        try await b.sync.sync()
        try await s.settle()
        for device in [a, b] { #expect(try await device.titles() == ["keep"]) }
    }

    @Test("one that has another parent, or is local, or whose parent comes back, stays")
    func others() async throws {
        let (a, b, id) = try await folder()
        let note = try await b.read { try $0.fetch(FetchRequest<TestNote>())[0].objectID }
        let other = try await b.edit { TestFolder(context: $0).objectID }
        try await b.edit { context in
            guard let note = try context.existingObject(with: note) as? TestNote else { return }
            note.folder = try context.existingObject(with: other) as? TestFolder
        }
        try await b.sync.sync()
        // A has not heard of that. Its cascade does not reach objects that it lacks.
        try await a.edit { context in
            for note in try context.fetch(FetchRequest<TestNote>()) { note.folder = nil }
            context.delete(try context.existingObject(with: id))
        }
        try await a.sync.sync()
        try await s.settle()
        for device in [a, b] { #expect(try await device.titles() == ["known"]) }
    }

    @Test("all levels go: what hangs on what goes")
    func levels() async throws {
        let model = ManagedObjectModel([
            EntityDescription(
                "Box",
                [
                    .attribute("name", .string), .toOne("box", "Box", inverse: "boxes"),
                    .toMany("boxes", "Box", inverse: "box", delete: .cascade),
                ])
        ])
        let (a, b) = try s.pair(model: model)
        let top = try await a.edit { try $0.insertObject(entityName: "Box").objectID }
        try await s.settle()
        try await b.edit { context in
            var parent = try context.existingObject(with: top)
            for _ in 0..<5 {
                let box = try context.insertObject(entityName: "Box")
                try box.setObject(parent, forKey: "box")
                parent = box
            }
        }
        try await a.delete(top)
        try await b.sync.sync()
        try await a.sync.sync()
        let summary = try await b.sync.sync()
        #expect(summary.deleted.count == 6)
        try await s.settle()
        for device in [a, b] {
            #expect(try await device.read { try $0.count(for: FetchRequest<ManagedObject>(entityName: "Box")) } == 0)
        }
    }

    @Test("an object that only stays on another device deletes nothing elsewhere")
    func withdrawn() async throws {
        let model = ManagedObjectModel([
            EntityDescription(
                "List",
                [
                    .attribute("isDraft", .boolean, default: false),
                    .toMany("items", "Item", inverse: "list", delete: .cascade),
                ]
            ).synced(where: "isDraft == false"),
            EntityDescription("Item", [.attribute("name", .string), .toOne("list", "List", inverse: "items")]),
        ])
        let (a, b) = try s.pair(model: model)
        let list = try await a.edit { context in
            let list = try context.insertObject(entityName: "List"), item = try context.insertObject(entityName: "Item")
            try item.setObject(list, forKey: "list")
            return list.objectID
        }
        try await s.settle()
        try await a.edit { try $0.existingObject(with: list).setValue(true, forKey: "isDraft") }
        try await s.sync(a, b, a, b)
        for device in [a, b] {
            #expect(try await device.read { try $0.count(for: FetchRequest<ManagedObject>(entityName: "Item")) } == 1)
        }
    }

    @Test("a deletion that is read in several pages is judged when its own zone is at its end, not another one")
    func zones() async throws {
        var limits = WireLimits.extended
        limits.page = 2
        try await Scenario.run(limits: limits) { s in
            let (a, b) = try s.pair()
            try await a.sync.zones.create(named: "Club")
            let main = try await a.addNote("main")
            let (folder, notes) = try await a.edit { context in
                let folder = TestFolder(context: context), notes = (0..<6).map { _ in TestNote(context: context) }
                for object in [folder] + notes { try context.assign(object, toZone: "Club") }
                return (folder.objectID, notes.map(\.objectID))
            }
            try await s.settle()
            _ = try await b.addNote("orphan") { note, context in
                try context.assign(note, toZone: "Club")
                note.folder = try context.existingObject(with: folder) as? TestFolder
            }
            try await b.sync.sync()
            try await a.delete(folder)
            for id in notes + [main] { try await a.set(id, ["title": "edited"]) }
            try await s.settle()
            for device in [a, b] {
                #expect(try await device.titles() == Array(repeating: "edited", count: 7))
            }
        }
    }
}
