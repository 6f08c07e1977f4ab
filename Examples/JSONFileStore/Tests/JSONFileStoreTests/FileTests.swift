import Backstitch
import Foundation
import JSONFileStore
import Testing

@Suite("the JSON file store and its file")
final class FileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "json-store-\(UUID().uuidString)")
    private var file: URL { folder.appending(path: "notes.json") }

    private static let notes = ManagedObjectModel([
        EntityDescription(
            "Note",
            [.attribute("title", .string), .attribute("weight", .double), .attribute("photo", .binary, external: true)])
    ])

    init() throws {
        StoreRegistry.register(JSONFileStore.self)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func container(
        _ model: ManagedObjectModel = notes, url: URL? = nil
    ) throws -> PersistentContainer {
        try PersistentContainer(model: model, store: .init(type: .jsonFile, url: url ?? file))
    }

    private func insert(_ title: String, into container: PersistentContainer) async throws {
        try await container.perform { context in
            let note = try context.insertObject(entityName: "Note")
            try note.setValue(.string(title), forKey: "title")
            try context.save()
        }
    }

    private func titles(in container: PersistentContainer) async throws -> [String] {
        try await container.perform { context in
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Note", sortedBy: [.ascending("title")]))
                .compactMap { String(try $0.value(forKey: "title")) }
        }
    }

    private func refused(_ code: BackstitchError.Code, _ text: String, _ words: String) throws {
        try Data(text.utf8).write(to: file)
        let error = #expect(throws: BackstitchError.self) { try container() }
        #expect(error?.code == code)
        #expect(error?.description.contains(words) == true)
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test("files of others are refused and left as they are, and are not destroyed")
    func foreign() throws {
        for text in ["", "hello", "[1, 2]", "{\"name\": \"package\", \"version\": 1}"] {
            try refused(.notADatabase, text, "notes.json")
            let error = #expect(throws: BackstitchError.self) {
                try PersistentStoreCoordinator.destroyPersistentStore(at: file, type: .jsonFile)
            }
            #expect(error?.code == .notADatabase)
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
        }
    }

    @Test("a store that was cut short, or holds what it cannot, is refused and left as it is")
    func damaged() async throws {
        let store = try container()
        try await insert("kept", into: store)
        try store.close()
        let text = try String(contentsOf: file, encoding: .utf8)
        for length in stride(from: 45, to: text.utf8.count, by: 7) {
            try refused(.storeFailure, String(decoding: text.utf8.prefix(length), as: UTF8.self), "damaged")
        }
        try refused(.storeFailure, text.replacingOccurrences(of: "\"kept\"", with: "17"), "title")
        try Data(text.utf8).write(to: file)
        let again = try container()
        #expect(try await titles(in: again) == ["kept"])
    }

    @Test("a newer format and another model are refused, and say what to do")
    func newer() throws {
        try container().close()
        let text = try String(contentsOf: file, encoding: .utf8)
        try refused(.newerFormat, text.replacingOccurrences(of: "\"version\":1", with: "\"version\":2"), "update")
        try Data(text.utf8).write(to: file)
        var other = Self.notes
        other.entities[0].properties.append(.attribute("color", .string))
        let error = #expect(throws: BackstitchError.self) { try container(other) }
        #expect(error?.code == .modelMismatch)
        #expect(error?.message.contains("Note.color: none before, string now") == true)
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test("models that ask for what it cannot do are refused by name, and no file is made")
    func refusedModels() throws {
        let unique = EntityDescription("Note", unique: [["title"]], [.attribute("title", .string)])
        let derived = EntityDescription(
            "Note", [.attribute("title", .string), .derived("search", .string, from: "lowercase:(title)")])
        for (entity, words) in [(unique, "unique constraints of Note"), (derived, "Note.search")] {
            let error = #expect(throws: BackstitchError.self) { try container(ManagedObjectModel([entity])) }
            #expect(error?.code == .invalidModel)
            #expect(error?.message.contains(words) == true)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("a store in memory, or at a server, is refused")
    func places() throws {
        for url in [nil, URL(string: "https://example.org/notes.json")] {
            let error = #expect(throws: BackstitchError.self) {
                try PersistentContainer(model: Self.notes, store: .init(type: .jsonFile, url: url))
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("who has the file has it alone; readers see it as it was when they came")
    func lock() async throws {
        let writer = try container()
        try await insert("a", into: writer)
        let error = #expect(throws: BackstitchError.self) { try container() }
        #expect(error?.code == .storeFailure)
        #expect(error?.message.contains("in use") == true)
        #expect(throws: BackstitchError.self) {
            try PersistentStoreCoordinator.destroyPersistentStore(at: file, type: .jsonFile)
        }
        var description = PersistentStoreDescription(type: .jsonFile, url: file)
        description.isReadOnly = true
        let reader = try PersistentContainer(model: Self.notes, store: description)
        try await insert("b", into: writer)
        #expect(try await titles(in: reader) == ["a"])
        try writer.close()
        #expect(try await titles(in: container()) == ["a", "b"])
    }

    @Test("a save that cannot be written changes nothing, and can be repeated")
    func failedWrite() async throws {
        let store = try container()
        try await insert("a", into: store)
        // A folder in the place of the draft prevents the writing of the file.
        let draft = folder.appending(path: "notes.json-new")
        try FileManager.default.createDirectory(at: draft, withIntermediateDirectories: false)
        do {
            try await insert("b", into: store)
            Issue.record("saved without a file")
        } catch let error as BackstitchError { #expect(error.code == .storeFailure) }
        #expect(try await titles(in: store) == ["a"])
        try FileManager.default.removeItem(at: draft)
        try await insert("c", into: store)
        try store.close()
        #expect(try await titles(in: container()) == ["a", "c"])
    }

    @Test("what a crash left half written is not read")
    func leftover() async throws {
        let store = try container()
        try await insert("a", into: store)
        try store.close()
        try Data("{\"format\":".utf8).write(to: folder.appending(path: "notes.json-new"))
        let again = try container()
        #expect(try await titles(in: again) == ["a"])
        try await insert("b", into: again)
        #expect(try await titles(in: again) == ["a", "b"])
    }

    @Test("assets have the names that other stores give them")
    func checksum() throws {
        let store = try container()
        // No row names the assets of this test, so the collection that begins with the opening would free them.
        try store.coordinator.collectAssets()
        let assets = store.coordinator.store.assets
        // SHA-256 of "abc" and of a million times "a": FIPS 180-4, appendix.
        let known = [
            (Data("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a3"),
            (Data(repeating: 0x61, count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48"),
            (Data(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4"),
        ]
        for (data, digits) in known {
            let reference = try assets.write(data)
            let bytes = try #require(Data(base64Encoded: reference.checksum))
            #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == "01" + digits)
            #expect(try assets.read(reference) == data)
            #expect(throws: BackstitchError.self) { try assets.accept(Data("other".utf8), as: reference) }
            try assets.remove(reference)
            #expect(try assets.read(reference) == nil)
        }
    }

    @Test("a collection does not take away what is being written")
    func collectionBesideWrites() async throws {
        let store = try container()
        let assets = store.coordinator.store.assets
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for number in 0..<300 { _ = try assets.write(Data("\(number)".utf8)) } }
            group.addTask { for _ in 0..<300 { try store.coordinator.collectAssets() } }
            try await group.waitForAll()
        }
    }
}
