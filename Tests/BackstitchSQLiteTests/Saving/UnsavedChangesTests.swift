import Backstitch
import BackstitchSQLite
import BackstitchSupport
import BackstitchTestKit
import Logging
import Testing

@Suite("changes that a perform closure leaves unsaved")
struct UnsavedChangesTests {
    /// The lines that are logged at the end of closures, which run one after the other.
    private func warnings(
        _ model: ManagedObjectModel = .journal, _ bodies: @Sendable (ManagedObjectContext) throws -> Void...
    ) async throws -> [String] {
        let lines = Locked<[String]>([])
        let logger = Logger(label: "test") { _ in LineLog(lines: lines) }
        let container = try PersistentContainer(model: model, store: .init(type: .sqlite), logger: logger)
        for body in bodies { try? await container.perform(body) }
        try container.close()
        return lines.withLock { $0 }
    }

    @Test("are told, unless a save has thrown: the program knows of them")
    func told() async throws {
        let forgotten = try await warnings(.journal) { context in Entry(context: context).text = "forgotten" }
        #expect(forgotten.count == 1 && forgotten[0].contains("unsaved changes"))
        let refused = try await warnings(.journal) { context in
            // An entry has no such property, which its next save says.
            Entry(context: context)["nothing"] = 1
            try context.save()
        }
        #expect(refused.isEmpty)
        let saved = try await warnings(.journal) { context in
            Entry(context: context).text = "saved"
            try context.save()
        }
        #expect(saved.isEmpty)
    }

    /// A save that throws.
    private struct Refusal: Sendable, CustomTestStringConvertible {
        let code: BackstitchError.Code
        /// Makes the changes. The closure before it has stored page 1 of a book.
        let change: @Sendable (ManagedObjectContext) throws -> Void
        var testDescription: String { "\(code)" }
    }

    private static let model = ManagedObjectModel([
        EntityDescription(
            "Page", unique: [["number"]],
            [
                .attribute("number", .integer64), .attribute("title", .string, optional: false, default: ""),
                .toOne("book", "Book", inverse: "pages"),
            ]),
        EntityDescription("Book", [.toMany("pages", "Page", inverse: "book", delete: .deny)]),
    ])

    private static func page(_ context: ManagedObjectContext) throws -> ManagedObject {
        try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Page")).first)
    }

    private static let refusals = [
        Refusal(code: .validation) { try page($0).setValue(.null, forKey: "title") },
        Refusal(code: .constraint) { try $0.insertObject(entityName: "Page").setValue(1, forKey: "number") },
        Refusal(code: .deleteDenied) { context in
            context.delete(try #require(try page(context).object(forKey: "book")))
        },
        Refusal(code: .saveConflict) { context in
            context.automaticallyMergesChangesFromParent = false
            let mine = try page(context), other = ManagedObjectContext(coordinator: context.coordinator)
            try page(other).setValue("theirs", forKey: "title")
            try other.save()
            try mine.setValue("mine", forKey: "title")
        },
        Refusal(code: .invalidValue) { try page($0)["number"] = "a text" },
    ]

    @Test("are not told when the save was refused, for any reason", arguments: refusals)
    private func refused(_ refusal: Refusal) async throws {
        let codes = Locked<[BackstitchError.Code]>([])
        func lines(_ after: @escaping @Sendable (ManagedObjectContext) throws -> Void) async throws -> [String] {
            try await warnings(
                Self.model,
                { context in
                    let page = try context.insertObject(entityName: "Page")
                    try page.setValue(1, forKey: "number")
                    try page.setObject(context.insertObject(entityName: "Book"), forKey: "book")
                    try context.save()
                },
                { context in
                    try refusal.change(context)
                    do { try context.save() } catch let error as BackstitchError {
                        codes.withLock { $0.append(error.code) }
                        try after(context)
                    }
                })
        }
        #expect(try await lines { _ in }.isEmpty)
        // After the program's answer to the refusal, further changes are told again.
        let told = try await lines { context in
            context.rollback()
            _ = try context.insertObject(entityName: "Book")
        }
        #expect(told.count == 1 && told[0].contains("unsaved changes"), "\(told)")
        #expect(codes.withLock { $0 } == [refusal.code, refusal.code])
    }

    @Test("are told of none when a closure only reads objects that set transient attributes as they are read")
    func reading() async throws {
        let model = ManagedObjectModel([
            EntityDescription(
                "Bell", class: Bell.self,
                [.attribute("name", .string, default: ""), .attribute("shown", .string, transient: true)])
        ])
        let read = Locked<[String?]>([])
        let reading: @Sendable (ManagedObjectContext) throws -> Void = { context in
            let bells = try context.fetch(FetchRequest<Bell>())
            read.withLock { $0 += bells.map { $0["shown"] } }
        }
        let lines = try await warnings(
            model,
            { context in
                Bell(context: context)["name"] = "door"
                try context.save()
            }, reading, reading)
        #expect(read.withLock { $0 } == ["DOOR", "DOOR"])
        #expect(lines.isEmpty, "\(lines)")
        let changed = try await warnings(
            model,
            { context in
                let bell = Bell(context: context)
                try context.save()
                bell["shown"] = "mine"
            })
        #expect(changed.count == 1, "\(changed)")
    }
}

/// An object that computes a shown form when it is read.
private final class Bell: ManagedObject {
    override func awakeFromFetch() {
        let name: String = self["name"]
        self["shown"] = name.uppercased()
    }
}
