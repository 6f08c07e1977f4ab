import Backstitch
import BackstitchMacros
import Foundation

/// The journal's model as it would be written by hand.
enum HandWritten {
    static let entry: [PropertyDescription] = [
        .attribute("title", .string, optional: false, default: "untitled"),
        .attribute("subtitle", .string),
        .attribute("size", .integer64, optional: false, default: 3),
        .attribute("small", .integer16),
        .attribute("middle", .integer32, optional: false, default: -7),
        .attribute("large", .integer64),
        .attribute("rank", .integer16, optional: false, default: 1),
        .attribute("rating", .double, optional: false, default: 1.0),
        .attribute("scale", .float),
        .attribute("price", .decimal, default: .decimal(12)),
        .attribute("isDone", .boolean, optional: false, default: false),
        .attribute("created", .date),
        .attribute("serial", .uuid),
        .attribute("link", .uri),
        .attribute("content", .binary),
        .attribute("photo", .binary, external: true),
        .attribute("priority", .integer16, optional: false, default: 0),
        .attribute("place", .transformable(transformer: "place")),
        .attribute("default", .string),
        .toOne("journal", "Journal", inverse: "entries", optional: false),
        .toMany("labels", "Label", inverse: "entries", delete: .deny),
    ]
    static let journal: [PropertyDescription] = [
        .attribute("name", .string, optional: false, default: ""),
        .attribute("isShared", .boolean, optional: false, default: false),
        .toMany("entries", "JournalEntry", inverse: "journal", delete: .cascade),
    ]
    static let label: [PropertyDescription] = [
        .attribute("name", .string, optional: false, default: ""),
        .attribute("weight", .integer64, optional: false, default: 0),
        .attribute("hint", .string),
        .toMany("entries", "JournalEntry", inverse: "labels"),
    ]
}

/// A class by hand and one by macro, in one model.
enum Mixed {
    final class Shelf: ManagedObject, EntityObject {
        var name: String {
            get { self["name"] }
            set { self["name"] = newValue }
        }
        var books: Set<Book> {
            get { self["books"] }
            set { self["books"] = newValue }
        }

        static let entityName = "Shelf"
        static let entityDescription = EntityDescription(
            entityName, class: Shelf.self,
            [.attribute("name", .string), .toMany("books", Book.entityName, inverse: "shelf")])
        static let keyPathNames = KeyPathNames([(\Shelf.name, "name"), (\Shelf.books, "books")])
    }

    @Entity final class Book: ManagedObject {
        @Attribute var title: String?
        @Relationship(inverse: \Shelf.books) var shelf: Shelf?
    }

    static let model = ManagedObjectModel([Shelf.entityDescription, Book.entityDescription])
}
