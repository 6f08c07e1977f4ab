import Backstitch
import Foundation

private final class Shelf: ManagedObject {
    var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    var books: Set<Book> {
        get { self["books"] }
        set { self["books"] = newValue }
    }
    var bookCount: Int { self["bookCount"] }
    var pages: Int { self["pages"] }
    var worth: Decimal { self["worth"] }
    var weight: Double { self["weight"] }
}

private final class Book: ManagedObject {
    var title: String? {
        get { self["title"] }
        set { self["title"] = newValue }
    }
    var pages: Int {
        get { self["pages"] }
        set { self["pages"] = newValue }
    }
    var price: Decimal? {
        get { self["price"] }
        set { self["price"] = newValue }
    }
    var weight: Double {
        get { self["weight"] }
        set { self["weight"] = newValue }
    }
    var shelf: Shelf? {
        get { self["shelf"] }
        set { self["shelf"] = newValue }
    }
    var readers: Set<Reader> {
        get { self["readers"] }
        set { self["readers"] = newValue }
    }
    var shelfName: String? { self["shelfName"] }
    var search: String? { self["search"] }
    var capitals: String? { self["capitals"] }
    var small: String? { self["small"] }
    var readerCount: Int { self["readerCount"] }
    var changed: Date? { self["changed"] }
}

private final class Reader: ManagedObject {
    var books: Set<Book> {
        get { self["books"] }
        set { self["books"] = newValue }
    }
    var pages: Int { self["pages"] }
}

extension ManagedObjectModel {
    fileprivate static let shelves = shelves(derived: true)

    fileprivate static func shelves(derived: Bool) -> ManagedObjectModel {
        let shelf: [PropertyDescription] = [
            .derived("bookCount", .integer64, from: "books.@count"),
            .derived("pages", .integer64, from: "books.@sum.pages"),
            .derived("worth", .decimal, from: "books.price.@sum"),
            .derived("weight", .double, from: "books.@sum.weight"),
        ]
        let book: [PropertyDescription] = [
            .derived("shelfName", .string, from: "shelf.name"),
            .derived("search", .string, from: "canonical:(title)"),
            .derived("capitals", .string, from: "uppercase:(shelf.name)"),
            .derived("small", .string, from: "lowercase:(title)"),
            .derived("readerCount", .integer32, from: "readers.@count"),
            .derived("changed", .date, from: "now()"),
        ]
        return ManagedObjectModel([
            EntityDescription(
                "Shelf", class: Shelf.self,
                [.attribute("name", .string), .toMany("books", "Book", inverse: "shelf")] + (derived ? shelf : [])),
            EntityDescription(
                "Book", class: Book.self,
                [
                    .attribute("title", .string), .attribute("pages", .integer16, default: 0),
                    .attribute("price", .decimal), .attribute("weight", .double, default: .double(0)),
                    .toOne("shelf", "Shelf", inverse: "books"), .toMany("readers", "Reader", inverse: "books"),
                ] + (derived ? book : [])),
            EntityDescription(
                "Reader", class: Reader.self,
                [.toMany("books", "Book", inverse: "readers")]
                    + (derived ? [.derived("pages", .integer64, from: "books.@sum.pages")] : [])),
        ])
    }
}

extension StoreConformance {
    static let derivedCases = [
        derived("an attribute derived from the object's own is computed whenever that is saved") { context in
            let book = Book(context: context)
            book.title = "Élan VITAL"
            try context.save()
            try expectEqual(book.search, "elan vital")
            try expectEqual(book.small, "élan vital")
            try expect(!book.hasChanges)
            book.title = nil
            try context.save()
            try expectEqual(book.search, nil)
        },
        derived("a copy through a to-one follows the link, its target's value, and its deletion") { context in
            let book = Book(context: context), home = shelf("Café", in: context), away = shelf("Away", in: context)
            book.shelf = home
            try context.save()
            try expectEqual([book.shelfName, book.capitals], ["Café", "CAFÉ"])
            home.name = "New"
            try context.save()
            try expectEqual(try fresh(book, context).shelfName, "New")
            context.refresh(book, mergeChanges: false)
            try expectEqual([book.shelfName, book.capitals], ["New", "NEW"])
            book.shelf = away
            try context.save()
            try expectEqual(book.shelfName, "Away")
            context.delete(away)
            try context.save()
            try expectEqual(book.shelfName, nil)
        },
        derived("counts and sums over a to-many follow what comes, moves, changes and goes") { context in
            let one = shelf("one", in: context), two = shelf("two", in: context)
            try context.save()
            try expectEqual(one.bookCount, 0)
            try expectEqual(one.worth, 0)
            let books = (1...3).map { number in
                let book = Book(context: context)
                book.pages = number * 100
                book.price = Decimal(number) / 10
                book.weight = Double(number) / 2
                book.shelf = one
                return book
            }
            books[2].price = nil
            try context.save()
            try expectEqual(try numbers(one, context), Numbers(3, 600, Decimal(string: "0.3") ?? 0, 3))
            books[0].shelf = two
            books[1].pages = 250
            try context.save()
            try expectEqual(try numbers(one, context), Numbers(2, 550, Decimal(string: "0.2") ?? 0, 2.5))
            try expectEqual(try numbers(two, context), Numbers(1, 100, Decimal(string: "0.1") ?? 0, 0.5))
            for book in books { context.delete(book) }
            try context.save()
            try expectEqual(try numbers(one, context), Numbers(0, 0, 0, 0))
        },
        derived("counts and sums over a many-to-many follow links from either end, and deletions") { context in
            let books = (1...2).map { _ in Book(context: context) },
                readers = (1...2).map { _ in Reader(context: context) }
            for book in books { book.pages = 10 }
            books[0].readers = Set(readers)
            try context.save()
            try expectEqual(try fresh(books[0], context).readerCount, 2)
            try expectEqual(try fresh(readers[1], context).pages, 10)
            readers[1].books = [books[1], books[0]]
            books[1].pages = 7
            try context.save()
            try expectEqual(try fresh(readers[1], context).pages, 17)
            context.delete(readers[0])
            try context.save()
            try expectEqual(try fresh(books[0], context).readerCount, 1)
            context.delete(books[0])
            try context.save()
            try expectEqual(try fresh(readers[1], context).pages, 7)
        },
        derived("batch requests count as saves do") { context in
            let one = shelf("one", in: context)
            for _ in 0..<3 { Book(context: context).shelf = one }
            try context.save()
            try context.execute(BatchUpdateRequest(entityName: "Book", set: ["pages": 5, "title": "ÄB"]))
            try expectEqual(try fresh(one, context).pages, 15)
            try expectEqual(try context.count(for: FetchRequest<Book>(where: "search == 'ab'")), 3)
            try context.execute(BatchUpdateRequest(entityName: "Shelf", set: ["name": "renamed"]))
            try expectEqual(try context.count(for: FetchRequest<Book>(where: "shelfName == 'renamed'")), 3)
            let books = try context.fetch(FetchRequest<Book>())
            try context.execute(BatchDeleteRequest(objectIDs: books.prefix(2).map(\.objectID)))
            try expectEqual(try fresh(one, context).bookCount, 1)
        },
        derived("a derived attribute is fetched and sorted by like others") { context in
            for (name, count) in [("a", 1), ("b", 3), ("c", 2)] {
                let shelf = shelf(name, in: context)
                for _ in 0..<count { Book(context: context).shelf = shelf }
            }
            try context.save()
            let found = try context.fetch(
                FetchRequest<Shelf>(where: "bookCount > 1", sortedBy: [.descending("bookCount")]))
            try expectEqual(found.map(\.name), ["b", "c"])
        },
        derived("a derived attribute cannot be set") { context in
            let shelf = shelf("one", in: context)
            let error = try expectError(.invalidRequest) { try shelf.setValue(7, forKey: "bookCount") }
            try expectEqual(error.key, "bookCount")
            try expect(error.message.contains("books.@count"))
            try expectError(.invalidRequest) {
                try context.execute(BatchUpdateRequest(entityName: "Shelf", set: ["bookCount": 7]))
            }
            try context.save()
            try expectEqual(shelf.bookCount, 0)
        },
        derived("the time of writing is the database's, and moves with each save of the object") { context in
            let book = Book(context: context), other = Book(context: context)
            try context.save()
            guard let first = book.changed else { return try expect(false, "no time") }
            try expect(abs(first.timeIntervalSinceNow) < 60, "\(first)")
            let before = try fresh(other, context).changed
            book.title = "later"
            try context.save()
            guard let second = book.changed else { return try expect(false, "no time") }
            try expect(second >= first)
            try expectEqual(try fresh(other, context).changed, before)
        },
        derived("a value that the store computed is no conflict for whoever edits the object") { context in
            let one = shelf("one", in: context)
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let theirs = try other.existingObject(with: one.objectID) as? Shelf
            try expectEqual(theirs?.bookCount, 0)
            Book(context: context).shelf = one
            try context.save()
            theirs?.name = "theirs"
            try other.save()
            try expectEqual(theirs?.bookCount, 1)
            context.mergePolicy = .overwrite
            one.name = "mine"
            Book(context: other).shelf = theirs
            try other.save()
            try context.save()
            try expectEqual(try fresh(one, context).bookCount, 2)
        },
        ConformanceCase("a count is exact when eight writers add at once", needs: .derivedAttributes) { bench in
            let container = try bench.container(.shelves)
            let id = try await container.perform { context in
                let shelf = shelf("one", in: context)
                try context.save()
                return shelf.objectID
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await container.perform { context in
                            for _ in 0..<10 {
                                Book(context: context).shelf = try context.object(with: id) as? Shelf
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = try await container.perform { try ($0.existingObject(with: id) as? Shelf)?.bookCount }
            try expectEqual(count, 80)
        },
        ConformanceCase(
            "derived attributes that a new model adds are computed for what is stored, and may go again",
            needs: .derivedAttributes
        ) { bench in
            guard bench.store.isDurable else { return }
            let plain = try bench.container(.shelves(derived: false))
            try await plain.perform { context in
                Book(context: context).shelf = shelf("one", in: context)
                try context.save()
            }
            let derived = try bench.reopen(plain, .shelves)
            try await derived.perform { context in
                guard let shelf = try context.fetch(FetchRequest<Shelf>()).first else { return try expect(false) }
                try expectEqual(shelf.bookCount, 1)
                try expectEqual(shelf.books.first?.shelfName, "one")
                Book(context: context).shelf = shelf
                try context.save()
                try expectEqual(try fresh(shelf, context).bookCount, 2)
            }
            try derived.close()
        },
    ]

    private struct Numbers: Equatable {
        let count: Int, pages: Int, worth: Decimal, weight: Double

        init(_ count: Int, _ pages: Int, _ worth: Decimal, _ weight: Double) {
            (self.count, self.pages, self.worth, self.weight) = (count, pages, worth, weight)
        }
    }

    private static func numbers(_ shelf: Shelf, _ context: ManagedObjectContext) throws -> Numbers {
        let shelf = try fresh(shelf, context)
        return Numbers(shelf.bookCount, shelf.pages, shelf.worth, shelf.weight)
    }

    private static func derived(
        _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: .derivedAttributes) { try await $0.container(.shelves).perform(body) }
    }

    private static func shelf(_ name: String, in context: ManagedObjectContext) -> Shelf {
        let shelf = Shelf(context: context)
        shelf.name = name
        return shelf
    }

    private static func fresh<Object: ManagedObject>(_ object: Object, _ context: ManagedObjectContext) throws -> Object
    {
        let other = ManagedObjectContext(coordinator: context.coordinator)
        guard let found = try other.existingObject(with: object.objectID) as? Object else {
            throw ConformanceFailure(description: "\(object.objectID) is of another class")
        }
        return found
    }
}
