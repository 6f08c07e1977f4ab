import Backstitch
import BackstitchSQLite
import Foundation

/// A small model, as a newcomer writes it on the first day, and stores for it.
enum Bookcase {
    static let model = ManagedObjectModel([
        EntityDescription(
            "Book", class: Volume.self, unique: [["isbn"]],
            [
                .attribute("title", .string, optional: false),
                .attribute("pages", .integer16).validated("pages > 0", message: "a book has pages"),
                .attribute("isbn", .string), .attribute("bought", .date), .attribute("price", .decimal),
                .attribute("shelfmark", .string).validated("shelfmark MATCHES '.{1,5}'"),
                .derived("sorting", .string, from: "canonical:(title)"),
                .toOne("writer", "Writer", inverse: "books"), .toMany("labels", "Label", inverse: "books"),
            ]
        ).validated("pages == nil OR price == nil OR price > 1", message: "no book is as cheap"),
        EntityDescription(
            "Writer", class: Writer.self,
            [.attribute("name", .string, default: ""), .toMany("books", "Book", inverse: "writer", delete: .deny)]),
        EntityDescription(
            "Label", [.attribute("name", .string, default: ""), .toMany("books", "Book", inverse: "labels")]),
    ])

    /// Works with a container in memory.
    static func with<Result>(_ body: (PersistentContainer) async throws -> Result) async throws -> Result {
        let container = try PersistentContainer(model: model, store: .init(type: .sqlite))
        defer { try? container.close() }
        return try await body(container)
    }

    /// Works with the context of a container in memory.
    static func edit(_ body: @escaping @Sendable (ManagedObjectContext) throws -> Void) async throws {
        try await with { try await $0.perform(body) }
    }

    /// Runs `body` with a folder of its own, which is removed afterwards.
    static func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "backstitch-mistakes-\(ObjectIDGenerator().next().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    /// Makes a store with some objects, closes it, and opens it with the changed model.
    static func reopen(
        _ options: [StoreOption: any Sendable] = [:], _ change: (inout ManagedObjectModel) -> Void,
        after edit: @escaping @Sendable (ManagedObjectContext) throws -> Void = { _ in }
    ) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "books.sqlite")
            let container = try PersistentContainer(model: model, store: .init(type: .sqlite, url: file))
            try await container.perform { context in
                try edit(context)
                try context.save()
            }
            try container.close()
            var model = model
            change(&model)
            let store = PersistentStoreDescription(type: .sqlite, url: file, options: options)
            try PersistentContainer(model: model, store: store).close()
        }
    }
}

/// A book.
final class Volume: ManagedObject {
    var title: String? {
        get { self["title"] }
        set { self["title"] = newValue }
    }
    var pages: Int {
        get { self["pages"] }
        set { self["pages"] = newValue }
    }
    var isbn: String? {
        get { self["isbn"] }
        set { self["isbn"] = newValue }
    }
    var writer: Writer? {
        get { self["writer"] }
        set { self["writer"] = newValue }
    }
    /// Of another type than the model has.
    var price: String {
        get { self["price"] }
        set { self["price"] = newValue }
    }
    /// As if there were only one.
    var labels: ManagedObject? {
        get { self["labels"] }
        set { self["labels"] = newValue }
    }

    convenience init(_ title: String, in context: ManagedObjectContext) {
        self.init(context: context)
        self.title = title
    }
}

/// An author of books.
final class Writer: ManagedObject {
    var books: Set<Volume> {
        get { self["books"] }
        set { self["books"] = newValue }
    }
}

/// Of no entity.
final class Stranger: ManagedObject {}
