import Backstitch
import BackstitchSQLite
import BackstitchSupport
import BackstitchTestKit
import Foundation
import Logging
import Testing

@Suite("stored properties of a class that have the names of properties of the model", .timeLimit(.minutes(1)))
struct StoredPropertyTests {
    @Test("are told once for each entity, with the right form, when its first object is made")
    func made() async throws {
        let lines = try await lines { container in
            for _ in 0..<3 { try await container.perform { _ = Diary(context: $0).note } }
        }
        expect(lines)
    }

    @Test("are told when the first object is fetched")
    func fetched() async throws {
        try await Bookcase.withFolder { folder in
            let store = PersistentStoreDescription(type: .sqlite, url: folder.appending(path: "diary.sqlite"))
            let first = try PersistentContainer(model: Self.model(of: ManagedObject.self), store: store)
            try await first.perform { context in
                for _ in 0..<3 { _ = try context.insertObject(entityName: "Diary") }
                try context.save()
            }
            try first.close()
            let lines = try await lines(store) { container in
                for _ in 0..<3 {
                    let count = try await container.perform { try $0.fetch(FetchRequest<Diary>()).count }
                    #expect(count == 3)
                }
            }
            expect(lines)
        }
    }

    @Test("are none in a class that reads and writes the model")
    func right() async throws {
        let lines = Locked<[String]>([])
        let container = try PersistentContainer(
            model: Bookcase.model, store: .init(type: .sqlite),
            logger: Logger(label: "test") { _ in LineLog(lines: lines) })
        try await container.perform { context in
            _ = Volume("Dune", in: context)
            try context.save()
        }
        try container.close()
        #expect(lines.withLock { $0 } == [])
    }

    private func expect(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        let warnings = lines.filter { $0.hasPrefix("warning") && $0.contains("stored property") }
        #expect(warnings.count == 3, sourceLocation: sourceLocation)
        for words in [
            ["Diary.title is a stored property", "an attribute of entity Diary", "get { self[\"title\"] }"],
            ["Diary.words is a stored property", "an attribute of entity Diary", "no save writes it"],
            ["Notebook.pages is a stored property", "a relationship of entity Diary"],
        ] {
            let isTold = warnings.contains { line in words.allSatisfy { line.contains($0) } }
            #expect(isTold, "\(words) in \(warnings)", sourceLocation: sourceLocation)
        }
    }

    private func lines(
        _ store: PersistentStoreDescription = .init(type: .sqlite), _ body: (PersistentContainer) async throws -> Void
    ) async throws -> [String] {
        let lines = Locked<[String]>([])
        let container = try PersistentContainer(
            model: Self.model(of: Diary.self), store: store,
            logger: Logger(label: "test") { _ in LineLog(lines: lines) })
        try await body(container)
        try container.close()
        return lines.withLock { $0 }
    }

    private static func model(of type: ManagedObject.Type) -> ManagedObjectModel {
        ManagedObjectModel([
            EntityDescription(
                "Diary", class: type,
                [
                    .attribute("title", .string), .attribute("words", .integer64), .attribute("year", .integer64),
                    .toMany("pages", "Page", inverse: "diary"),
                ]),
            EntityDescription("Page", [.toOne("diary", "Diary", inverse: "pages")]),
        ])
    }
}

/// The properties of diaries and other notebooks.
private class Notebook: ManagedObject {
    var pages: [String] = []
}

/// A class written in the belief that stored properties are saved.
private final class Diary: Notebook {
    var title: String?
    lazy var words = 3
    /// Of the program alone, and named like nothing in the model.
    var note = ""
    var year: Int {
        get { self["year"] }
        set { self["year"] = newValue }
    }
}
