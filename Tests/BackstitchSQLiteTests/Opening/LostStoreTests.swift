import Backstitch
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchSQLite

@Suite("a store whose file is away when it is opened")
struct LostStoreTests {
    private static let model = ManagedObjectModel([
        EntityDescription("Note", [.attribute("title", .string), .attribute("photo", .binary, external: true)])
    ])

    /// A store with a photo that is closed, and its file.
    private func withPhoto(_ body: (_ fixture: StoreFixture, _ photo: Data, _ aside: URL) throws -> Void) throws {
        let fixture = try StoreFixture(Self.model), photo = Data(repeating: 1, count: 3_000)
        try with(fixture) { context in
            try context.insertObject(entityName: "Note").setValue(.data(photo), forKey: "photo")
            try context.save()
        }
        try body(fixture, photo, fixture.folder.appending(path: "aside"))
    }

    private func with(_ fixture: StoreFixture, _ body: (ManagedObjectContext) throws -> Void) throws {
        let container = try PersistentContainer(model: Self.model, store: .init(type: .sqlite, url: fixture.file))
        try body(ManagedObjectContext(coordinator: container.coordinator))
        try container.close()
    }

    private func photos(_ context: ManagedObjectContext) throws -> [Data?] {
        let photos = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note")).map { $0["photo"] as Data? }
        _ = try context.count(for: FetchRequest<ManagedObject>(entityName: "Note"))
        return photos
    }

    @Test("has its assets when it is back, whatever another store in its place has done, collected or removed")
    func assets() throws {
        try withPhoto { fixture, photo, aside in
            try FileManager.default.moveItem(at: fixture.file, to: aside)
            for isRemoved in [false, true] {
                try with(fixture) { context in
                    try context.coordinator.collectAssets()
                    let note = try context.insertObject(entityName: "Note")
                    // The same content, which is deleted again.
                    try note.setValue(.data(photo), forKey: "photo")
                    try context.save()
                    context.delete(note)
                    try context.save()
                    try context.coordinator.collectAssets()
                }
                if isRemoved { try PersistentStoreCoordinator.destroyPersistentStore(at: fixture.file, type: .sqlite) }
            }
            try FileManager.default.moveItem(at: aside, to: fixture.file)
            try with(fixture) { (context) throws in #expect(try photos(context) == [photo]) }
            try PersistentStoreCoordinator.destroyPersistentStore(at: fixture.file, type: .sqlite)
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) == [])
        }
    }

    @Test("whose assets are lost says so; they do not read as nil")
    func lostBytes() throws {
        try withPhoto { fixture, _, _ in
            try FileManager.default.removeItem(atPath: fixture.file.path + "-assets")
            try with(fixture) { context in
                let error = try #require(throws: BackstitchError.self) { try photos(context) }
                #expect(error.code == .asset)
                #expect(error.key == "photo" && error.objectID?.entityName == "Note")
                #expect(error.message.contains("3000 bytes") && error.message.contains("backup"))
                // The value itself and the rest of the object are there, and a new value mends it.
                let note = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Note")).first)
                #expect(try !note.value(forKey: "photo").isNull)
                #expect((note["photo"] as Asset?)?.isHere == false)
                try note.setValue(.data(Data([7])), forKey: "photo")
                try context.save()
                #expect(try photos(context) == [Data([7])])
            }
        }
    }

    @Test("and whose file is empty is not made anew while its assets are there")
    func emptied() throws {
        try withPhoto { fixture, photo, aside in
            try FileManager.default.copyItem(at: fixture.file, to: aside)
            truncate(fixture.file.path, 0)
            let error = try #require(throws: BackstitchError.self) { try with(fixture) { _ in } }
            #expect(error.code == .storeMoved && error.message.contains("backup"), "\(error)")
            #expect(try Data(contentsOf: fixture.file).isEmpty)
            try FileManager.default.removeItem(at: fixture.file)
            try with(fixture) { (context) throws in #expect(try photos(context) == []) }
            try FileManager.default.removeItem(at: fixture.file)
            try FileManager.default.moveItem(at: aside, to: fixture.file)
            try with(fixture) { (context) throws in #expect(try photos(context) == [photo]) }
        }
    }

    @Test("keeps its log, which has what was saved last; without the file no store is made", arguments: [false, true])
    func log(isEmpty: Bool) throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try store.save { $0.inserts = [try fixture.rows("Author", fixture.generator.next())] }
        let place = fixture.folder.appending(path: "place.sqlite"), log = place.path + "-wal"
        try FileManager.default.copyItem(at: fixture.file, to: place)
        try FileManager.default.copyItem(atPath: fixture.file.path + "-wal", toPath: log)
        try store.close()
        let content = try Data(contentsOf: URL(filePath: log)), aside = fixture.folder.appending(path: "aside")
        try FileManager.default.moveItem(at: place, to: aside)
        if isEmpty { try Data().write(to: place) }
        let error = try #require(throws: BackstitchError.self) { _ = try fixture.open(at: place) }
        #expect(error.code == .storeMoved && error.message.contains(log), "\(error)")
        #expect(try Data(contentsOf: URL(filePath: log)) == content)
        if isEmpty { try FileManager.default.removeItem(at: place) }
        try FileManager.default.moveItem(at: aside, to: place)
        #expect(try fixture.open(at: place).all(fixture.entity("Author")).count == 1)
    }
}
