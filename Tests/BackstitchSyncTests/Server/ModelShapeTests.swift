import Backstitch
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("models of every shape travel", .scenario)
struct ModelShapeTests: ScenarioSuite {
    private static let family = ManagedObjectModel([
        EntityDescription(
            "Shape", abstract: true,
            [
                .attribute("name", .string), .toOne("drawing", "Drawing", inverse: "shapes"),
                .toMany("favouriteOf", "Drawing", inverse: "favourite"),
            ]),
        EntityDescription("Circle", parent: "Shape", [.attribute("radius", .double)]),
        EntityDescription("Square", parent: "Shape", [.attribute("side", .double), .attribute("note", .string)]),
        EntityDescription(
            "Drawing",
            [
                .attribute("title", .string), .toMany("shapes", "Shape", inverse: "drawing"),
                .toOne("favourite", "Shape", inverse: "favouriteOf"),
                .derived("shapeCount", .integer64, from: "shapes.@count"),
                .derived("search", .string, from: "lowercase:(title)"),
            ]),
    ])

    @Test("objects of a family of entities arrive as what they are, with their links, and derived values are made anew")
    func inheritance() async throws {
        let a = try s.device(model: Self.family), b = try s.device("b", model: Self.family)
        let ids = try await a.edit { context in
            let drawing = try context.insertObject(entityName: "Drawing")
            try drawing.setValue("House", forKey: "title")
            let circle = try context.insertObject(entityName: "Circle")
            try circle.setValue(2.5, forKey: "radius")
            let square = try context.insertObject(entityName: "Square")
            try square.setValue("wall", forKey: "name")
            for shape in [circle, square] { shape["drawing"] = drawing }
            drawing["favourite"] = square
            return [drawing.objectID, circle.objectID, square.objectID]
        }
        try await a.sync.sync()
        let view = try s.zone()
        #expect(try await view.record(ids[1])?.recordType == "Circle")
        #expect(Set(try #require(try await view.record(ids[0])).fields.keys) == ["title", "favourite"])
        try await b.sync.sync()
        let found = try await b.read { context in
            let drawing = try context.existingObject(with: ids[0])
            let shapes: Set<ManagedObject> = drawing["shapes"]
            let favourite: ManagedObject? = drawing["favourite"]
            return (
                Set(shapes.map(\.objectID)), favourite?.objectID,
                [try drawing.value(forKey: "shapeCount"), try drawing.value(forKey: "search")],
                try context.existingObject(with: ids[1]).value(forKey: "radius")
            )
        }
        #expect(found.0 == [ids[1], ids[2]] && found.1 == ids[2])
        #expect(found.2 == [2, "house"] && found.3 == 2.5)
        // Edits, deletions and a merge on both sides.
        try await b.set(ids[2], ["name": "b's wall"])
        try await a.set(ids[2], ["side": 4.0])
        try await a.edit { context in context.delete(try context.existingObject(with: ids[1])) }
        try await s.settle(b, a)
        try await s.settle(b, a)
        for device in [a, b] {
            let end = try await device.read { context in
                let square = try context.existingObject(with: ids[2])
                let drawing = try context.existingObject(with: ids[0])
                return [
                    try square.value(forKey: "name"), try square.value(forKey: "side"),
                    try drawing.value(forKey: "shapeCount"),
                    .int(Int64(try context.count(for: FetchRequest<ManagedObject>(entityName: "Shape")))),
                ]
            }
            #expect(end == ["b's wall", 4.0, 1, 1])
        }
        // A zone that is lost is filled again, each object under its own type.
        try await view.deleteZone()
        try await b.sync.sync()
        #expect(try await view.record(ids[2])?.recordType == "Square")
        #expect(try await view.all().count == 2)
    }

    @Test(
        "siblings' properties of one name are fields of their own records, merged each, and sent after they moved to the parent"
    )
    func siblings() async throws {
        let old = Self.desk(titleInParent: false), new = Self.desk(titleInParent: true)
        let a = try s.device("a", model: old), b = try s.device("b", model: old)
        let (memo, task) = (
            try await a.add(["title": "m", "size": "large"], "Memo"),
            try await a.add(["title": "t", "size": 3], "Task")
        )
        try await s.settle(a, b)
        let record = try await s.zone().record(task)
        #expect(record?.value("size") == .int64(3) && record?.value("title") == .string("t"))
        // Both devices change both objects, each another field.
        let sizes: [(ObjectID, Value)] = [(memo, "small"), (task, 4)]
        for (id, size) in sizes {
            try await a.set(id, ["title": .string("\(id.entityName) by a")])
            try await b.set(id, ["size": size])
        }
        try await s.settle(a, b)
        for device in [a, b] {
            let values = try await device.read { context in
                try [memo, task].flatMap { id in
                    let object = try context.existingObject(with: id)
                    return [try object.value(forKey: "title"), try object.value(forKey: "size")]
                }
            }
            #expect(values == ["Memo by a", "small", "Task by a", 4])
        }
        try await b.set(memo, ["title": "memo, unsent when upgraded"])
        try await b.set(task, ["title": "task, unsent when upgraded"])
        try b.close()
        let upgraded = try s.device("b", model: new)
        let summary = try await upgraded.sync.sync()
        #expect(summary.sent == 2 && summary.parked.isEmpty && summary.conflicts.isEmpty)
        try await a.sync.sync()
        #expect(try await a.values("title", of: "Memo") == ["memo, unsent when upgraded"])
        #expect(try await a.values("title", of: "Task") == ["task, unsent when upgraded"])
    }

    private static func desk(titleInParent: Bool) -> ManagedObjectModel {
        let title = [PropertyDescription.attribute("title", .string)]
        return ManagedObjectModel([
            EntityDescription("Item", abstract: true, titleInParent ? title : []),
            EntityDescription("Memo", parent: "Item", (titleInParent ? [] : title) + [.attribute("size", .string)]),
            EntityDescription("Task", parent: "Item", (titleInParent ? [] : title) + [.attribute("size", .integer64)]),
        ])
    }

    @Test(
        "renamed entities and properties keep their names on the wire, so that old and new versions understand each other"
    )
    func renaming() async throws {
        let old = ManagedObjectModel([
            EntityDescription(
                "Note",
                [
                    .attribute("title", .string), .attribute("photo", .binary, external: true),
                    .toOne("folder", "Folder", inverse: "notes"), .toMany("tags", "Tag", inverse: "notes"),
                ]),
            EntityDescription("Folder", [.attribute("name", .string), .toMany("notes", "Note", inverse: "folder")]),
            EntityDescription("Tag", [.attribute("name", .string), .toMany("notes", "Note", inverse: "tags")]),
        ])
        let new = ManagedObjectModel([
            EntityDescription(
                "Memo",
                [
                    .attribute("headline", .string).renamed(from: "title"),
                    .attribute("image", .binary, external: true).renamed(from: "photo"),
                    .toOne("binder", "Folder", inverse: "notes").renamed(from: "folder"),
                    .toMany("labels", "Tag", inverse: "notes").renamed(from: "tags"),
                ]
            ).renamed(from: "Note"),
            EntityDescription("Folder", [.attribute("name", .string), .toMany("notes", "Memo", inverse: "binder")]),
            EntityDescription("Tag", [.attribute("name", .string), .toMany("notes", "Memo", inverse: "labels")]),
        ])
        let a = try s.device("a", model: old), b = try s.device("b", model: old), id = noteID(1)
        try await a.edit { context in
            let note = try context.make(
                "Note", ["title": "first", "photo": .data(Data("photo".utf8))], number: 1)
            note["folder"] = try context.make("Folder", number: 2) as ManagedObject?
            note["tags"] = Set([try context.make("Tag", number: 3)])
        }
        try await s.settle()
        try await b.set(id, ["title": "unsent when upgraded"])
        try b.close()
        // The upgraded device continues with the same records.
        let upgraded = try s.device("b", model: new)
        let memo = ObjectID(entityName: "Memo", key: id.key)
        let summary = try await upgraded.sync.sync()
        #expect(summary.sent == 1 && summary.inserted.isEmpty && summary.deleted.isEmpty && summary.parked.isEmpty)
        try await a.sync.sync()
        let others = ["Folder 2", "Tag 3"]
        let note = "Note 1 folder ->2 photo asset 5 tags ->3 title 'unsent when upgraded'"
        try await s.expectZone("Folder 2", "Tag 3", note)
        try await s.expect(on: [a], lines: others + [note])
        try await a.set(id, ["title": "by the old version"])
        try await s.sync(a, upgraded)
        #expect(try await upgraded.values("headline", of: "Memo") == ["by the old version"])
        try await upgraded.set(memo, ["image": .data(Data("another".utf8))])
        try await s.sync(upgraded, a)
        #expect(try await a.read { try $0.existingObject(with: id)["photo"] as Data? } == Data("another".utf8))
        // A fresh device of the new version reads all of it.
        let fresh = try s.device(model: new)
        try await fresh.sync.sync()
        try await s.expect(
            on: [fresh], lines: others + ["Memo 1 binder ->2 headline 'by the old version' image asset 7 labels ->3"])
        #expect(try await fresh.read { try $0.existingObject(with: memo)["image"] as Data? } == Data("another".utf8))
    }

    @Test("fields and types that an old version does not know survive its edits and its filling of a lost zone")
    func oldVersion() async throws {
        let old = ManagedObjectModel([EntityDescription("Entry", [.attribute("text", .string)])])
        let new = ManagedObjectModel([
            EntityDescription("Entry", [.attribute("text", .string), .attribute("mood", .string)]),
            EntityDescription("Shelf", [.attribute("name", .string)]),
        ])
        let a = try s.device(model: new), b = try s.device(model: old)
        let id = try await a.add(["text": "text", "mood": "good"], "Entry", number: 1)
        try await a.add(["name": "upper"], "Shelf", number: 2)
        try await a.sync.sync()
        let parked = try await b.sync.sync().parked
        #expect(parked.map(\.recordType) == ["Shelf"])
        try await b.set(id, ["text": "edited by the old version"])
        try await s.sync(b, a)
        try await s.expect(on: [a], "Entry 1 mood 'good' text 'edited by the old version'", "Shelf 2 name 'upper'")
        try await s.zone().deleteZone()
        try await b.sync.sync()
        #expect(try await s.zone().record(id)?.value("mood") == .string("good"))
        let fresh = try s.device(model: new)
        try await fresh.sync.sync()
        #expect(try await fresh.values("mood", of: "Entry") == ["good"])
    }
}
