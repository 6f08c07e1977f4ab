import Backstitch
import BackstitchSQLite
import BackstitchTestKit
import Foundation
import Testing

@Suite("mistakes in opening a store", .timeLimit(.minutes(5)))
struct OpeningMistakeTests {
    @Test("are told with what is wrong and what to do", arguments: mistakes)
    func told(_ mistake: Mistake) async {
        let flaw = await mistake.flaw()
        #expect(flaw == nil)
    }

    private static let mistakes = [
        Mistake("the store's type in small letters", throws: "\"sqlite\"", "did you mean \"SQLite\"?") {
            _ = try PersistentContainer(model: Bookcase.model, store: .init(type: "sqlite"))
        },
        Mistake("a store of a type that is not linked", throws: "\"MySQL\"", "add the product BackstitchMySQL") {
            _ = try PersistentContainer(model: Bookcase.model, store: .init(type: "MySQL"))
        },
        Mistake("a misspelt option", throws: "\"sqliteBusyTimout\"", "did you mean \"sqliteBusyTimeout\"?") {
            try open(nil, ["sqliteBusyTimout": 3])
        },
        Mistake("an option of another type", throws: "\"sqliteBusyTimeout\"", "a number of seconds", "soon (String)") {
            try open(nil, [.sqliteBusyTimeout: "soon"])
        },
        Mistake("a path in place of a file URL", throws: "/tmp/books.sqlite", "URL(fileURLWithPath:)") {
            try open(URL(string: "/tmp/books.sqlite"))
        },
        Mistake("the address of a server", throws: "https://example.org/books", "URL(fileURLWithPath:)") {
            try open(URL(string: "https://example.org/books"))
        },
        Mistake("a folder in place of a file", throws: "is a folder", "name a file for the store") {
            try await Bookcase.withFolder { try open($0) }
        },
        Mistake("a file in a folder that cannot be", throws: "plain/books.sqlite", "check that its folder exists") {
            try await Bookcase.withFolder { folder in
                try Data().write(to: folder.appending(path: "plain"))
                try open(folder.appending(path: "plain/books.sqlite"))
            }
        },
        Mistake("a file that is no database", throws: "notes.txt", "not a SQLite database", "choose another file") {
            try await Bookcase.withFolder { folder in
                try Data("Buy thread".utf8).write(to: folder.appending(path: "notes.txt"))
                try open(folder.appending(path: "notes.txt"))
            }
        },
        Mistake("a database of something else", throws: "mine.sqlite", "another program", "choose another") {
            try await Bookcase.withFolder { folder in
                let file = folder.appending(path: "mine.sqlite")
                try DatabaseFile(url: file).execute("CREATE TABLE mine (a)")
                try open(file)
            }
        },
        Mistake("a store of a newer version", throws: "books.sqlite", "newer", "update the program") {
            try await Bookcase.withFolder { folder in
                let file = folder.appending(path: "books.sqlite")
                try open(file)
                try DatabaseFile(url: file).execute("PRAGMA user_version = 99")
                try open(file)
            }
        },
        Mistake("a store that shall only be read, and is not there", throws: "books.sqlite", "check the place") {
            try await Bookcase.withFolder { folder in
                var store = PersistentStoreDescription(type: .sqlite, url: folder.appending(path: "books.sqlite"))
                store.isReadOnly = true
                _ = try PersistentContainer(model: Bookcase.model, store: store)
            }
        },
        Mistake("a container that was closed", throws: "was closed", "open it again") {
            try await Bookcase.with { container in
                try container.close()
                _ = try await container.perform { try $0.count(for: FetchRequest<Volume>()) }
            }
        },
        Mistake("a store without a URL", logs: "in memory", "gone when it is closed", "give its description a file URL")
        { _ in
            try open(nil)
        },
    ]

    private static func open(_ url: URL?, _ options: [StoreOption: any Sendable] = [:]) throws {
        let store = PersistentStoreDescription(type: .sqlite, url: url, options: options)
        try PersistentContainer(model: Bookcase.model, store: store).close()
    }
}
