import Backstitch
import BackstitchSQLite
import BackstitchTestKit
import Foundation
import Testing

@Suite("Several stores in one coordinator")
struct SeveralStoresTests {
    /// `Note` and `Folder` in both stores, `Draft` in the first only, `Label` in the second only.
    private static let model: ManagedObjectModel = {
        var model = ManagedObjectModel([
            EntityDescription(
                "Note",
                [
                    .attribute("title", .string), .attribute("rank", .integer64),
                    .attribute("photo", .binary, external: true), .toOne("folder", "Folder", inverse: "notes"),
                    .toMany("links", "Note", inverse: "backlinks"), .toMany("backlinks", "Note", inverse: "links"),
                ]),
            EntityDescription("Folder", [.attribute("name", .string), .toMany("notes", "Note", inverse: "folder")]),
            EntityDescription("Draft", [.attribute("title", .string)]),
            EntityDescription("Label", unique: [["title"]], [.attribute("title", .string, optional: false)]),
        ])
        model.configurations = ["Local": ["Note", "Folder", "Draft"], "Cloud": ["Note", "Folder", "Label"]]
        return model
    }()

    private func descriptions(_ folder: URL) -> [PersistentStoreDescription] {
        ["Local", "Cloud"].map { name in
            var description = PersistentStoreDescription(type: .sqlite, url: folder.appending(path: "\(name).sqlite"))
            description.configuration = name
            return description
        }
    }

    private func withStores(
        _ body: (PersistentContainer, URL) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = try PersistentContainer(model: Self.model, stores: descriptions(folder))
        try await body(container, folder)
        try container.close()
    }

    @Test("a store that is described twice, by whatever path, is refused, naming both")
    func twice() async throws {
        try await withStores { container, folder in
            try container.close()
            let other = folder.appending(path: "other")
            try FileManager.default.createSymbolicLink(at: other, withDestinationURL: folder)
            let places = [folder, folder, other].map { $0.appending(path: "Local.sqlite") }
            for pair in [[places[0], places[1]], [places[0], places[2]]] {
                let error = #expect(throws: BackstitchError.self) {
                    try PersistentContainer(model: Self.model, stores: pair.map { .init(type: .sqlite, url: $0) })
                }
                #expect(error?.code == .invalidRequest)
                for place in pair { #expect(error?.message.contains(place.absoluteString) == true) }
            }
        }
    }

    /// How many rows of an entity a store's file holds.
    private func count(_ entity: String, _ folder: URL, _ store: String) throws -> Int? {
        try DatabaseFile(url: folder.appending(path: "\(store).sqlite")).int("SELECT count(*) FROM \"\(entity)\"")
    }

    @Test("new objects go to the first store that holds their entity, or where they are assigned; fetches give all")
    func inserts() async throws {
        try await withStores { container, folder in
            let stores = container.coordinator.stores
            try await container.perform { (context) throws in
                for rank in [5, 1, 3] {
                    try context.insertObject(entityName: "Note").setValue(.int(Int64(rank)), forKey: "rank")
                }
                for rank in [4, 2, 6] {
                    let note = try context.insertObject(entityName: "Note")
                    try note.setValue(.int(Int64(rank)), forKey: "rank")
                    try context.assign(note, to: stores[1])
                }
                _ = try context.insertObject(entityName: "Draft")
                try context.insertObject(entityName: "Label").setValue("l", forKey: "title")
                try context.save()
            }
            try await container.perform { (context) throws in
                func ranks(_ change: (inout FetchRequest<ManagedObject>) -> Void) throws -> [Value] {
                    var request = FetchRequest<ManagedObject>(entityName: "Note", sortedBy: [.descending("rank")])
                    change(&request)
                    return try context.fetch(request).map { try $0.value(forKey: "rank") }
                }
                #expect(try ranks { _ in } == [6, 5, 4, 3, 2, 1])
                #expect(
                    try ranks {
                        $0.limit = 3
                        $0.offset = 2
                    } == [4, 3, 2])
                #expect(try ranks { $0.affectedStores = [stores[1]] } == [6, 4, 2])
                #expect(try ranks { $0.affectedStores = [] } == [])
                let unsaved = try context.insertObject(entityName: "Note")
                try unsaved.setValue(.int(9), forKey: "rank")
                #expect(try ranks { $0.affectedStores = [stores[1]] } == [6, 4, 2])
                #expect(try ranks { $0.affectedStores = [stores[0]] } == [9, 5, 3, 1])
                try context.assign(unsaved, to: stores[1])
                #expect(try ranks { $0.affectedStores = [stores[1]] } == [9, 6, 4, 2])
                #expect(try ranks { $0.affectedStores = [] } == [])
                // An object that was changed and not saved is in its store alone, too.
                let first = try FetchRequest<ManagedObject>(entityName: "Note", where: "rank == 1")
                let changed = try #require(try context.fetch(first).first)
                try changed.setValue(.int(10), forKey: "rank")
                #expect(try ranks { $0.affectedStores = [stores[1]] } == [9, 6, 4, 2])
                #expect(try ranks { $0.affectedStores = [stores[0]] } == [10, 5, 3])
                try changed.setValue(.int(1), forKey: "rank")
                context.delete(unsaved)
                #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Note")) == 6)
                #expect(
                    try context.count(for: FetchRequest<ManagedObject>(entityName: "Note", limit: 3, offset: 4)) == 2)
                #expect(try context.fetchObjectIDs(FetchRequest<ManagedObject>(entityName: "Note")).count == 6)
            }
            #expect(try count("Note", folder, "Local") == 3 && count("Note", folder, "Cloud") == 3)
            #expect(try count("Draft", folder, "Local") == 1 && count("Label", folder, "Cloud") == 1)
            // A store has the tables of its part only.
            #expect(throws: (any Error).self) { try self.count("Label", folder, "Local") }
        }
    }

    @Test("links, changes, deletions and assets stay within each store; sorting goes through relationships")
    func graph() async throws {
        try await withStores { container, folder in
            let stores = container.coordinator.stores
            try await container.perform { (context) throws in
                for (index, store) in stores.enumerated() {
                    let box = try context.insertObject(entityName: "Folder")
                    try box.setValue(.string("f\(1 - index)"), forKey: "name")
                    let notes = try (0..<2).map { number in
                        let note = try context.insertObject(entityName: "Note")
                        try note.setValue(.string("\(index)\(number)"), forKey: "title")
                        try note.setValue(.data(Data([UInt8(index)])), forKey: "photo")
                        try note.setObject(box, forKey: "folder")
                        return note
                    }
                    try notes[0].add(notes[1], to: "links")
                    for object in notes + [box] { try context.assign(object, to: store) }
                }
                try context.save()
            }
            try await container.perform { (context) throws in
                let request = FetchRequest<ManagedObject>(
                    entityName: "Note", sortedBy: [.ascending("folder.name"), .ascending("title")])
                let notes = try context.fetch(request)
                #expect(try notes.map { try $0.value(forKey: "title") } == ["10", "11", "00", "01"])
                #expect(notes.compactMap { $0["photo"] as Data? } == [1, 1, 0, 0].map { Data([$0]) })
                #expect(try notes[0].objects(forKey: "links") == [notes[1]])
                #expect(try notes[3].objects(forKey: "backlinks") == [notes[2]])
                #expect(try notes[0].object(forKey: "folder")?.objects(forKey: "notes").count == 2)
                try notes[0].setValue("changed", forKey: "title")
                try notes[2].setValue(.data(Data([7])), forKey: "photo")
                context.delete(notes[3])
                context.delete(notes[1])
                try context.save()
            }
            try await container.perform { (context) throws in
                let notes = try context.fetch(
                    FetchRequest<ManagedObject>(entityName: "Note", sortedBy: [.ascending("title")]))
                #expect(try notes.map { try $0.value(forKey: "title") } == ["00", "changed"])
                #expect(notes[0]["photo"] as Data? == Data([7]))
            }
            for name in ["Local", "Cloud"] {
                let assets = try FileManager.default.subpathsOfDirectory(
                    atPath: folder.appending(path: "\(name).sqlite-assets").path)
                #expect(!assets.isEmpty)
            }
        }
    }

    @Test("a relationship from one store to another is refused, and nothing is written")
    func acrossStores() async throws {
        try await withStores { container, _ in
            let stores = container.coordinator.stores
            let box = try await container.perform { (context) throws in
                let box = try context.insertObject(entityName: "Folder")
                try context.assign(box, to: stores[1])
                try context.save()
                return box.objectID
            }
            try await container.perform { (context) throws in
                let note = try context.insertObject(entityName: "Note"),
                    other = try context.insertObject(entityName: "Note")
                try note.setObject(context.existingObject(with: box), forKey: "folder")
                try context.assign(other, to: stores[1])
                try note.add(other, to: "links")
                let error = #expect(throws: BackstitchError.self) { try context.save() }
                #expect(error?.code == .crossStoreRelationship)
                #expect(error?.faults.map(\.key) == ["folder", "backlinks"])
                #expect(error?.message.contains("Local.sqlite (Local)") == true)
                #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Note", limit: nil)) == 2)
                // Assigned to the other's store, all is well.
                try context.assign(note, to: stores[1])
                try context.save()
                #expect(throws: BackstitchError.self) { try context.assign(note, to: stores[0]) }
            }
        }
    }

    @Test("when the second store fails, the first is written, and another save goes on with the rest")
    func partialFailure() async throws {
        try await withStores { container, folder in
            let stores = container.coordinator.stores
            try await container.perform { (context) throws in
                let first = try context.insertObject(entityName: "Note"),
                    second = try context.insertObject(entityName: "Note")
                try context.assign(second, to: stores[1])
                try context.save()
                try first.setValue("a", forKey: "title")
                try second.setValue("b", forKey: "title")
                let draft = try context.insertObject(entityName: "Draft")
                // A trigger keeps the second store from being written.
                let file = DatabaseFile(url: folder.appending(path: "Cloud.sqlite"))
                try file.execute(
                    "CREATE TRIGGER stop BEFORE UPDATE ON Note BEGIN SELECT RAISE(ABORT, 'stopped'); END")
                let error = #expect(throws: BackstitchError.self) { try context.save() }
                #expect(error?.message.contains("written to the stores before Cloud.sqlite") == true)
                #expect(!draft.isInserted && !first.isUpdated && second.isUpdated)
                #expect(try self.count("Draft", folder, "Local") == 1)
                try file.execute("DROP TRIGGER stop")
                try context.save()
                #expect(!context.hasChanges)
            }
            let titles = try await container.perform { (context) throws in
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Note", sortedBy: [.ascending("title")]))
                    .map { try $0.value(forKey: "title") }
            }
            #expect(titles == ["a", "b"])
        }
    }

    @Test("a unique value in the second store is settled by the policy, also when the first store was written before")
    func uniqueValues() async throws {
        try await withStores { container, folder in
            try await container.perform { (context) throws in
                try context.insertObject(entityName: "Label").setValue("red", forKey: "title")
                try context.save()
                func insert() throws {
                    _ = try context.insertObject(entityName: "Draft")
                    try context.insertObject(entityName: "Label").setValue("red", forKey: "title")
                }
                try insert()
                let error = #expect(throws: BackstitchError.self) { try context.save() }
                #expect(error?.code == .constraint)
                #expect(error?.constraintConflict?.keys == ["title"])
                context.rollback()
                context.mergePolicy = .mergeByPropertyObjectTrump
                try insert()
                try context.save()
                #expect(!context.hasChanges)
            }
            #expect(try count("Draft", folder, "Local") == 2)
            #expect(try count("Label", folder, "Cloud") == 1)
        }
    }

    @Test("configurations that cannot be are faults; a removed store's objects are gone")
    func configurations() async throws {
        var wrong = Self.model
        wrong.configurations = ["A": ["Note"], "B": ["Nothing"]]
        #expect(
            wrong.faults().map(\.message) == [
                "configuration A has Note but not Folder, the destination of Note.folder: objects of two stores "
                    + "cannot be related",
                "configuration B has the entity Nothing, which the model does not have",
            ])
        try await withStores { container, folder in
            let stores = container.coordinator.stores
            try await container.perform { (context) throws in
                for store in stores { try context.assign(context.insertObject(entityName: "Note"), to: store) }
                try context.save()
            }
            try container.coordinator.remove(stores[1])
            #expect(container.coordinator.stores.count == 1)
            let counts = try await container.perform { (context) throws in
                try context.count(for: FetchRequest<ManagedObject>(entityName: "Note"))
            }
            #expect(counts == 1)
            try container.coordinator.remove(stores[0])
            #expect(container.coordinator.stores.isEmpty)
            #expect(throws: BackstitchError.self) {
                try stores[1].count(StoreFetchRequest(entity: container.coordinator.model.entities[0]))
            }
        }
    }

    @Test("a part's store is migrated within its part")
    func migration() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try PersistentContainer(model: Self.model, stores: descriptions(folder)).close()
        var newer = Self.model
        newer.entities[3].properties.append(.attribute("colour", .string))
        let plan = try PersistentStoreCoordinator.migrationPlan(model: newer, store: descriptions(folder)[1])
        #expect(plan?.steps.map(\.description) == ["Label.colour is added, empty"])
        #expect(try PersistentStoreCoordinator.migrationPlan(model: newer, store: descriptions(folder)[0]) == nil)
        try PersistentContainer(model: newer, stores: descriptions(folder)).close()
    }
}
