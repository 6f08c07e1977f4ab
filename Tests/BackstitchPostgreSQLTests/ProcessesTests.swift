import Backstitch
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchPostgreSQL

@Suite("processes of their own on one PostgreSQL database")
struct ProcessesTests {
    @Test("eight processes that raise the same 100 counts lose no increment")
    func increments() async throws {
        let schema = TestDatabase.newSchema(), url = try TestDatabase.url()
        // It hears of the others' changes, and must see all of them in the end.
        let container = try TestDatabase.container(schema: schema)
        try await container.perform { context in
            for number in 0..<100 { Entry(context: context).text = "\(1000 + number)" }
            try context.save()
        }
        let seconds = "\(Effort.size("SECONDS", usual: 5, whole: 20))"
        let reports = try await onThread {
            let processes = try (0..<8).map {
                try TestProcess(probe: [schema, seconds, "\($0)"], ["PROBE_URL": url.absoluteString])
            }
            return try processes.map { try $0.report() }
        }
        let expected = (0..<100).map { index in reports.reduce(0) { $0 + $1.increments[index] } }
        let request = FetchRequest<Entry>(sortedBy: [.ascending("text")])
        #expect(try await container.perform { try $0.fetch(request).map(\.count) } == expected)
        let saves = reports.map { $0.increments.reduce(0, +) / 3 }, conflicts = reports.reduce(0) { $0 + $1.conflicts }
        #expect(saves.allSatisfy { $0 > 0 })
        #expect(conflicts > 0)
        print(
            "counted: eight processes, \(saves.reduce(0, +)) saves of three counts, \(conflicts) conflicts, none lost")
        try container.close()
        let store = try TestDatabase.store(schema: schema)
        // A row's version tells its saves; history has each save once, without a gap.
        #expect(
            try store.texts("SELECT _version::text FROM \"Entry\" ORDER BY text").map(Int.init)
                == expected.map { $0 + 1 })
        let numbers = try store.texts("SELECT t.number::text FROM backstitch_transaction AS t ORDER BY t.number")
        #expect(numbers.compactMap(Int.init) == Array(1...saves.reduce(1, +)))
        try store.close()
    }

    @Test("without URL and options the environment says where the database is, as for PostgreSQL's own programs")
    func environment() async throws {
        let server = try PostgresServer.shared.get(), schema = TestDatabase.newSchema()
        let container = try TestDatabase.container(schema: schema, url: server.url)
        try await container.perform { context in
            for number in 0..<3 { Entry(context: context).text = "\(number)" }
            try context.save()
        }
        let environment = [
            "PGHOST": server.folder.path, "PGPORT": "\(server.port)", "PGUSER": "backstitch", "PGDATABASE": "postgres",
            "PGAPPNAME": "probe of tests", "PGSSLMODE": "disable", "PGPASSWORD": "of no use",
        ]
        let report = try await onThread { try TestProcess(probe: [schema, "0.3", "1"], environment).report() }
        #expect(report.increments.reduce(0, +) > 0)
        let counts = try await container.perform { try $0.fetch(FetchRequest<Entry>()).map(\.count) }
        #expect(counts.sorted() == report.increments.sorted())
        try container.close()
    }
}
