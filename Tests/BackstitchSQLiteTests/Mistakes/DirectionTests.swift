import Backstitch
import BackstitchSQLite
import Foundation
import Testing

@Suite("messages that say what to do say what helps", .timeLimit(.minutes(5)))
struct DirectionTests {
    private static let tags = ManagedObjectModel([
        EntityDescription("Tag", unique: [["name"]], [.attribute("name", .string)])
    ])

    private func message(_ code: BackstitchError.Code, _ body: () throws -> Void) -> String? {
        let error = #expect(throws: BackstitchError.self) { try body() }
        #expect(error?.code == code, "\(error.map { "\($0)" } ?? "")")
        return error?.message
    }

    @Test(
        "a merge policy is advised where it would settle the matter, and nowhere else", arguments: MergePolicy.allCases)
    func policy(_ policy: MergePolicy) async throws {
        let container = try PersistentContainer(model: Self.tags, store: .init(type: .sqlite))
        defer { try? container.close() }
        try await container.perform { context in
            context.mergePolicy = policy
            for name in ["a", "b"] {
                try context.insertObject(entityName: "Tag").setValue(.string(name), forKey: "name")
            }
            try context.save()
            let update = message(.constraint) {
                _ = try context.execute(BatchUpdateRequest(entityName: "Tag", set: ["name": "same"]))
            }
            #expect(update?.contains("mergePolicy") == false && update?.contains("change one of them") == true)
            guard policy == .error else { return }
            let insert = message(.constraint) {
                _ = try context.execute(BatchInsertRequest(entityName: "Tag", objects: [["name": "a"]]))
            }
            #expect(insert?.contains("set the context's mergePolicy") == true)
            for _ in 0..<2 { try context.insertObject(entityName: "Tag").setValue("a", forKey: "name") }
            let save = message(.constraint) { try context.save() }
            #expect(save?.contains("set the context's mergePolicy") == true)
        }
    }

    @Test("a store that this process has open is said to be in use here too")
    func destroyedWhileOpen() throws {
        try withFolder { folder in
            let file = folder.appending(path: "store")
            let container = try PersistentContainer(model: Self.tags, store: .init(type: .sqlite, url: file))
            let told = message(.storeFailure) {
                try PersistentStoreCoordinator.destroyPersistentStore(at: file, type: .sqlite)
            }
            #expect(told?.contains("in this process and in others") == true, "\(told ?? "")")
            try container.close()
            try PersistentStoreCoordinator.destroyPersistentStore(at: file, type: .sqlite)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("entities that come together in a family are told once, and their relationships are not said to have changed")
    func family() throws {
        try withFolder { folder in
            func model(_ parent: String?) -> ManagedObjectModel {
                let product = EntityDescription(
                    "Product", parent: parent, [.toMany("data", "Data", inverse: "product")])
                let data = EntityDescription("Data", parent: parent, [.toOne("product", "Product", inverse: "data")])
                let base = parent.map { [EntityDescription($0, abstract: true, [.attribute("name", .string)])] } ?? []
                return ManagedObjectModel(base + [product, data])
            }
            let file = folder.appending(path: "store")
            try PersistentContainer(model: model(nil), store: .init(type: .sqlite, url: file)).close()
            let told = message(.modelMismatch) {
                _ = try PersistentContainer(model: model("Base"), store: .init(type: .sqlite, url: file))
            }
            #expect(told?.contains("are of one family now") == true, "\(told ?? "")")
            #expect(told?.contains(" led to ") == false, "\(told ?? "")")
        }
    }

    @Test("a log of another state of the file is named beside damage")
    func damage() throws {
        try withFolder { folder in
            let file = folder.appending(path: "store")
            let container = try PersistentContainer(model: Self.tags, store: .init(type: .sqlite, url: file))
            let context = ManagedObjectContext(coordinator: container.coordinator)
            for number in 0..<2000 {
                try context.insertObject(entityName: "Tag").setValue(.string("the tag \(number)"), forKey: "name")
            }
            try context.save()
            try container.close()
            var bytes = try Data(contentsOf: file)
            for index in bytes.indices.dropFirst(20 * 4096) { bytes[index] = 0xAA }
            try bytes.write(to: file)
            let told = message(.storeFailure) {
                let container = try PersistentContainer(model: Self.tags, store: .init(type: .sqlite, url: file))
                defer { try? container.close() }
                let context = ManagedObjectContext(coordinator: container.coordinator)
                _ = try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag"))
            }
            #expect(told?.contains("\(file.path)-wal") == true, "\(told ?? "")")
        }
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-directions-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }
}
