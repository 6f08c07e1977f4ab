import Backstitch
import BackstitchPostgreSQL
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@Suite("mistakes in opening a PostgreSQL store", .timeLimit(.minutes(5)))
struct MistakeTests {
    @Test("are told with what is wrong and what to do", arguments: mistakes)
    func told(_ mistake: Mistake) async {
        let flaw = await mistake.flaw()
        #expect(flaw == nil)
    }

    private static let mistakes = [
        Mistake("a wrong password", throws: "refuses this user", "postgresUser and postgresPassword") {
            let server = try PostgresServer.shared.get()
            try open(server.url(database: "postgres", user: server.guardedUser, password: "wrong"))
        },
        Mistake("a user that there is not", throws: "refuses this user", "postgresUser") {
            try open(PostgresServer.shared.get().url(database: "postgres", user: "nobody-of-that-name"))
        },
        Mistake("a database that there is not", throws: "no such database", "create it", "postgresDatabase") {
            try open(PostgresServer.shared.get().url(database: "nowhere"))
        },
        Mistake("no server", throws: "cannot be reached", "postgresHost, postgresPort") {
            try open(URL(string: "postgres://localhost:1/books"))
        },
        Mistake("an address of another scheme", throws: "mysql", "postgres") {
            try open(URL(string: "mysql://localhost/books"))
        },
        Mistake(
            "a new unique constraint over what is there twice",
            throws: "no two Book may have the same writer, bought, price", "the UUID", "the date 2026-01-01",
            "the decimal 9.5",
            "Make them different"
        ) {
            let schema = TestDatabase.newSchema()
            let container = try TestDatabase.container(books(), schema: schema)
            try await container.perform { context in
                let writer = try context.insertObject(entityName: "Writer")
                for _ in 0..<2 {
                    let book = try context.insertObject(entityName: "Book")
                    try book.setObject(writer, forKey: "writer")
                    try book.setValue(.date(Date(timeIntervalSince1970: 1_767_225_600)), forKey: "bought")
                    try book.setValue(.decimal(9.5), forKey: "price")
                }
                try context.save()
            }
            try container.close()
            try TestDatabase.container(books(unique: [["writer", "bought", "price"]]), schema: schema).close()
        },
    ]

    private static func books(unique constraints: [[String]] = []) -> ManagedObjectModel {
        ManagedObjectModel([
            EntityDescription(
                "Book", unique: constraints,
                [
                    .toOne("writer", "Writer", inverse: "books"), .attribute("bought", .date),
                    .attribute("price", .decimal),
                ]),
            EntityDescription("Writer", [.toMany("books", "Book", inverse: "writer")]),
        ])
    }

    private static func open(_ url: URL?) throws { try TestDatabase.store(url: url).close() }
}
