import Backstitch
import BackstitchSQL
import BackstitchSupport
import CloudWire
import Foundation
import Logging
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("a storage that an earlier version has left")
struct SchemaStepTests {
    /// Runs `body` in a transaction of a storage that no server has open.
    @discardableResult
    private static func inDatabase<Value>(
        of place: ZoneServerConfiguration.Storage, _ body: (ZoneTransaction, _ notes: String) throws -> Value
    ) throws -> Value {
        let database: any SQLDatabase, notes: String
        switch place {
        case .directory(let folder):
            (database, notes) = (
                try StorageDirectory(folder, logger: Logger(label: "test")).database, StorageDirectory.notes
            )
        case .database(let source, _): (database, notes) = (try source.open(), "schema_step")
        case .memory: throw TestFailure("nobody leaves a storage in memory")
        }
        let result = try database.transact { try body(ZoneTransaction($0), notes) }
        try database.close()
        return result
    }

    @Test("takes the steps that it lacks, whichever version that was, and serves", arguments: StorageKind.allCases)
    func eachVersion(_ kind: StorageKind) async throws {
        let versions = try await kind.withPlace { place in
            try Self.inDatabase(of: place) { ZoneSchema($0.dialect, notes: $1).steps.count }
        }
        for taken in 0..<versions {
            try await kind.withPlace { place in
                try Self.inDatabase(of: place) { transaction, notes in
                    var schema = ZoneSchema(transaction.dialect, notes: notes)
                    schema.steps.removeLast(schema.steps.count - taken)
                    try schema.take(transaction, of: "an earlier version")
                }
                try await withServer({ $0.storage = place }) { plain, _ in
                    let client = plain.extended()
                    try await client.makeZone()
                    let made = try await client.save("A", ["n": .int64(1)])
                    #expect(try await client.page().records == [made], "after \(taken) steps")
                }
                try Self.inDatabase(of: place) { transaction, notes in
                    let schema = ZoneSchema(transaction.dialect, notes: notes)
                    let all = try schema.taken(transaction.connection)
                    #expect(all == Set(schema.steps.map(\.name)))
                }
            }
        }
    }

    @Test("has its records found and told by the index of news, which takes the place of the older one")
    func news() async throws {
        try await StorageKind.postgreSQL.withPlace { place in
            let known = Locked<String?>(nil)
            try await withServer({ $0.storage = place }) { plain, _ in
                let client = plain.extended()
                try await client.makeZone()
                try await client.save("A", ["n": .int64(1)])
                let token = try await client.page().syncToken
                try await client.save("B", ["n": .int64(2)])
                known.withLock { $0 = token }
            }
            try Self.inDatabase(of: place) { transaction, _ in
                try transaction.execute("DELETE FROM schema_step WHERE identifier = '+feed'")
                try transaction.execute("DROP INDEX record_news")
                try transaction.execute("CREATE INDEX record_feed ON record (tenant_id, zone_id, sequence)")
            }
            let token = known.withLock { $0 }
            try await withServer({ $0.storage = place }) { plain, _ in
                let client = plain.extended()
                let all = try await client.page(), news = try await client.page(token)
                #expect(all.records.map(\.recordName) == ["A", "B"] && news.records.map(\.recordName) == ["B"])
                #expect(try await client.lookup(["A"])[0].record().value("n") == .int64(1))
            }
            let indexes = try Self.inDatabase(of: place) { transaction, _ in
                try transaction.all(
                    """
                    SELECT indexname::text FROM pg_indexes
                    WHERE schemaname = current_schema() AND tablename = 'record' AND indexname LIKE 'record_%'
                    """
                ) { $0.text(0) }
            }
            #expect(indexes.contains("record_news") && !indexes.contains("record_feed"), "\(indexes)")
        }
    }

    @Test("has its query subscriptions marked, and all of them told as before", arguments: StorageKind.allCases)
    func marks(_ kind: StorageKind) async throws {
        try await kind.withPlace { place in
            let marked = wish("marked", [QueryFilter("n", .equals, .int64(1))], zone: nil)
            let plain = wish("plain", [QueryFilter("n", .greaterThan, .int64(0))], zone: nil)
            try Self.inDatabase(of: place) { transaction, notes in
                var schema = ZoneSchema(transaction.dialect, notes: notes)
                let step = try #require(schema.steps.firstIndex { $0.name == "+subscription marks" })
                schema.steps.remove(at: step)
                try schema.take(transaction, of: "an earlier version")
                let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "_development")
                let owner = try transaction.makeOwner(key, epoch: 1)
                for subscription in [marked, plain] {
                    try transaction.execute(
                        """
                        INSERT INTO subscription (tenant_id, owner_id, "user", id, kind, type, body)
                        VALUES (\(owner.tenantID), \(owner.ownerID), '_development', \(subscription.subscriptionID),
                            'query', 'Item', \(Array(try subscription.wireJSON())))
                        """)
                }
            }
            try await withServer({ $0.storage = place }) { client, _ in
                let device = try await WaitingDevice(client)
                var other = device.client
                other.device = nil
                for number in 0...2 { try await other.save("r\(number)", ["n": .int64(Int64(number))], zone: nil) }
                let news = try await device.news()
                #expect(Set(news) == ["marked create r1", "plain create r1", "plain create r2"], "\(news)")
            }
            try Self.inDatabase(of: place) { transaction, _ in
                let fields = try transaction.all("SELECT id, mark_field FROM subscription ORDER BY id") {
                    [$0.text(0), $0.optionalText(1)]
                }
                #expect(fields == [["marked", "n"], ["plain", nil]])
            }
        }
    }
}
