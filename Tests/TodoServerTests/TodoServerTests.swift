import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@Suite("the example TodoServer, driven over HTTP")
struct TodoServerTests {
    /// Where the todos are kept.
    enum Database: CaseIterable {
        case sqlite, postgreSQL

        /// The value of `DATABASE_URL` for a database of the test's own.
        func make() throws -> String {
            let name = "todos_\(UUID().uuidString.prefix(8).lowercased())"
            switch self {
            case .sqlite: return FileManager.default.temporaryDirectory.appending(path: "\(name).sqlite").path
            case .postgreSQL:
                let server = try PostgresServer.shared.get()
                try server.sql("CREATE DATABASE \(name)")
                return server.url(database: name).absoluteString
            }
        }
    }

    private struct List: Decodable {
        let id: String, name: String
        let open: Int, done: Int
    }

    private struct Todo: Decodable {
        let id: String, title: String
        let isDone: Bool
        let due: Date?
        let revision: Int
        let list: String?
    }

    @Test(
        "lists and todos are made, found, changed and deleted, and are there after a restart",
        arguments: Database.allCases)
    func life(database: Database) async throws {
        let address = try await onThread { try database.make() }
        var server = try await onThread { try TodoProcess(database: address) }
        let list: List = try await server.send("POST", "lists", #"{"name": "Home"}"#).decoded()
        for (title, due) in [("Buy thread", "2027-01-02T12:00:00Z"), ("Sew a BUTTON on", "2027-01-01T12:00:00Z")] {
            let answer = try await server.send(
                "POST", "todos", #"{"title": "\#(title)", "due": "\#(due)", "list": "\#(list.id)"}"#)
            #expect(answer.status == 201)
            #expect(try answer.decoded(as: Todo.self).list == list.id)
        }
        #expect(try await server.send("POST", "todos", #"{"title": "Call Zoé"}"#).status == 201)

        func titles(_ query: String) async throws -> [String] {
            try await server.send("GET", "todos?\(query)").decoded(as: [Todo].self).map(\.title)
        }
        #expect(try await titles("") == ["Call Zoé", "Sew a BUTTON on", "Buy thread"])
        #expect(try await titles("search=button") == ["Sew a BUTTON on"])
        #expect(try await titles("search=zoe") == ["Call Zoé"])
        #expect(try await titles("list=\(list.id)&limit=1") == ["Sew a BUTTON on"])

        let button = try #require(try await server.send("GET", "todos?search=button").decoded(as: [Todo].self).first)
        let change = #"{"revision": 1, "isDone": true}"#
        let changed: Todo = try await server.send("PATCH", "todos/\(button.id)", change).decoded()
        #expect(changed.isDone && changed.revision == 2 && changed.title == button.title)
        #expect(try await server.send("PATCH", "todos/\(button.id)", change).status == 409)
        #expect(try await titles("done=true") == ["Sew a BUTTON on"])

        #expect(server.stop() == 0)
        server = try await onThread { try TodoProcess(database: address) }
        let lists: [List] = try await server.send("GET", "lists").decoded()
        #expect(lists.map(\.name) == ["Home"] && lists.map(\.open) == [1] && lists.map(\.done) == [1])
        #expect(try await server.send("DELETE", "lists/\(list.id)").status == 204)
        #expect(try await titles("") == ["Call Zoé"])
        #expect(try await server.send("GET", "todos/\(button.id)").status == 404)
        server.stop()
    }

    @Test("what cannot be is told by a status, and changes nothing", arguments: Database.allCases)
    func refusals(database: Database) async throws {
        let address = try await onThread { try database.make() }
        let server = try await onThread { try TodoProcess(database: address) }
        let nobody = "00000000-0000-7000-8000-000000000000"
        for (method, path, body, status) in [
            ("POST", "todos", "{", 400), ("POST", "todos", #"{"due": "2027-01-01T12:00:00Z"}"#, 400),
            ("POST", "todos", #"{"title": "a", "list": "\#(nobody)"}"#, 404),
            ("PATCH", "todos/\(nobody)", #"{"revision": 1}"#, 404), ("DELETE", "todos/nothing", nil, 404),
            ("GET", "todos?list=\(nobody)", nil, 404), ("GET", "todos?done=perhaps", nil, 400),
            ("GET", "todos?limit=-1", nil, 422), ("GET", "nothing", nil, 404),
        ] as [(String, String, String?, UInt)] {
            #expect(try await server.send(method, path, body).status == status, "\(method) \(path) \(body ?? "")")
        }
        #expect(try await server.send("GET", "todos").decoded(as: [Todo].self).isEmpty)
        server.stop()
    }

    @Test("of many who change the same revision one succeeds, also through two servers", arguments: Database.allCases)
    func conflicts(database: Database) async throws {
        let address = try await onThread { try database.make() }
        let servers = try await onThread { try (0..<2).map { _ in try TodoProcess(database: address) } }
        let todo: Todo = try await servers[0].send("POST", "todos", #"{"title": "Count"}"#).decoded()
        for revision in 1...10 {
            let statuses = try await withThrowingTaskGroup(of: UInt.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let body = #"{"revision": \#(revision), "title": "\#(revision) by \#(number)"}"#
                        return try await servers[number % 2].send("PATCH", "todos/\(todo.id)", body).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1, "\(statuses)")
            #expect(statuses.count { $0 == 409 } == 7, "\(statuses)")
        }
        for server in servers { server.stop() }
    }
}
