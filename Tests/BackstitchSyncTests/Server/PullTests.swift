import Backstitch
import BackstitchSync
import TestSupport
import Testing

@Suite("reading some objects, or an entity, anew", .scenario)
struct PullTests: ScenarioSuite {
    @Test("objects come, change and go as the server has them; nothing else is read")
    func objects() async throws {
        let (a, b) = try s.pair()
        let ids = try await a.addNotes(4)
        try await s.settle()
        try await a.set(ids[0], ["title": "edited"])
        try await a.delete(ids[1])
        let other = try await a.addNote("other"), new = try await a.addNote("new")
        try await a.set(ids[2], ["title": "unread"])
        try await a.sync.sync()
        try await s.faults.clear()
        let changes = try await b.sync.pull([ids[0], ids[1], ids[3], new])
        #expect(try await s.faults.requests == ["records/lookup"])
        #expect(changes.updated == [ids[0]] && changes.deleted == [ids[1]] && changes.inserted == [new])
        let titles = try await b.titles()
        #expect(titles.contains("edited") && titles.contains("new"))
        #expect(!titles.contains("unread") && !titles.contains("other"))
        try await s.settle()
        #expect(try await b.titles() == a.titles())
        #expect(try await b.read { context in try context.existingObject(with: other).objectID } == other)
    }

    @Test("unsent changes stay, are merged by the next sync, and an insert that was not sent is not taken for deleted")
    func unsent() async throws {
        let (a, b) = try s.pair()
        let id = try await a.addNote("T")
        try await s.settle()
        try await a.set(id, ["title": "A's"])
        try await a.sync.sync()
        try await b.set(id, ["body": "B's"])
        let new = try await b.addNote("unsent")
        #expect(try await b.sync.pull([id, new]).isEmpty)
        #expect(try await b.titles() == ["T", "unsent"])
        try await s.settle()
        #expect(try await a.titles() == ["A's", "unsent"])
    }

    @Test("what hangs on an object by its parent is read with it")
    func descendants() async throws {
        let model = ManagedObjectModel([
            EntityDescription("List", [.attribute("name", .string), .toMany("items", "Item", inverse: "list")]),
            EntityDescription("Item", [.attribute("name", .string), .toOne("list", "List", inverse: "items")])
                .parent("list"),
        ])
        let a = try s.device(model: model), b = try s.device(model: model)
        let (list, item, stranger) = try await a.edit { context in
            let list = try context.insertObject(entityName: "List")
            let item = try context.insertObject(entityName: "Item"),
                stranger = try context.insertObject(entityName: "Item")
            try item.setObject(list, forKey: "list")
            return (list.objectID, item.objectID, stranger.objectID)
        }
        for device in [a, b] { try await device.sync.sync() }
        try await a.edit { context in
            for id in [list, item, stranger] {
                try context.existingObject(with: id).setValue("edited", forKey: "name")
            }
        }
        try await a.sync.sync()
        #expect(try await b.sync.pull([list]).updated == [list])
        #expect(try await b.sync.pull([list], withDescendants: true).updated == [item])
    }

    @Test("an entity is read whole, in every zone, page by page, with what is gone; others are not")
    func entity() async throws {
        let (a, b) = try s.pair()
        try await a.sync.zones.create(named: "Club")
        let ids = try await a.addNotes(450)
        let away = try await a.edit { context in
            let note = TestNote(context: context)
            try context.assign(note, toZone: "Club")
            return note.objectID
        }
        try await s.settle()
        try await a.delete(ids[7])
        for id in [ids[3], ids[449], away] { try await a.set(id, ["title": "edited"]) }
        let new = try await a.addNote("new")
        try await a.edit { context in _ = TestTag(context: context) }
        try await a.sync.sync()
        let changes = try await b.sync.pull(entityName: "Note")
        #expect(Set(changes.updated) == [ids[3], ids[449], away])
        #expect(changes.deleted == [ids[7]] && changes.inserted == [new])
        #expect(try await b.read { context in try context.count(for: FetchRequest<TestTag>()) } == 0)
        #expect(try await b.sync.pull(entityName: "Note").isEmpty)
        await #expect(throws: BackstitchError.self) { try await b.sync.pull(entityName: "Nothing") }
    }

    @Test("a page that an older answer brings afterwards does not undo it for good")
    func olderPage() async throws {
        let (a, b) = try s.pair()
        let id = try await a.addNote("T")
        try await s.settle()
        for number in 0..<3 {
            try await a.set(id, ["title": .string("\(number)")])
            try await a.sync.sync()
            try await b.sync.pull([id])
            #expect(try await b.titles() == ["\(number)"])
        }
        try await s.settle()
        #expect(try await b.titles() == ["2"])
    }
}
