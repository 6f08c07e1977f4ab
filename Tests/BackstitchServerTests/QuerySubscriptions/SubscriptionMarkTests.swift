import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import Logging
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("query subscriptions are found by the values of changed records") struct SubscriptionMarkTests {
    private static let key = DatabaseKey(tenant: "iCloud.test/development", scope: .private, owner: "u")

    private static func service(_ storage: ZoneStorage) -> ZoneService {
        var configuration = ZoneServerConfiguration(storage: .memory)
        configuration.logger.logLevel = .critical
        return ZoneService(storage: storage, configuration: configuration)
    }

    private static func change(
        _ name: String, type: String = "Item", zone: String = "Z", _ fields: [String: WireValue?]
    ) throws -> RecordChange {
        RecordChange(
            change: .update,
            record: StoredRecord(
                name: name, type: type, sequence: 1, deleted: false, flags: [], created: 1_000, createdBy: "_a",
                createdOn: "2", modified: 2_000, modifiedBy: "_b", parent: "p\(name)",
                fields: try RecordFields.encode(fields, of: name, limit: 1 << 20)),
            zone: zone)
    }

    private static func push(_ changes: [RecordChange]) throws -> StagedPush {
        let limits = ZoneServerConfiguration(storage: .memory).standardLimits
        let scope = RequestScope(
            container: "iCloud.test", environment: "development", database: key, user: "u", roles: nil, mayWrite: true,
            extensions: false, limits: limits, device: nil, baseURL: "")
        var push = StagedPush(scope)
        for change in changes { push.add(Poke(zone: change.zone, changes: [change])) }
        return push
    }

    /// The news as the server finds them.
    private static func found(_ changes: [RecordChange], _ service: ZoneService) async throws -> Set<String> {
        let push = try push(changes)
        let types = Set(changes.compactMap(\.record.type)).sorted()
        let (owner, concerned) = try await service.context.storage.read { reading in
            let owner = try #require(try reading.owner(key))
            let zones = Set(changes.map(\.zone)).sorted()
            return (owner, try reading.concernedSubscriptions(owner, zones: zones, types: types, limit: 1_000))
        }
        return Set(
            try await service.notifier.fire(concerned, for: push, owner).map {
                "\($0.user) \($0.subscriptionID) \(text($0.record))"
            })
    }

    /// The news as a comparison with every subscription finds them.
    private static func all(
        _ changes: [RecordChange], _ subscriptions: [StoredSubscription]
    ) throws -> Set<String> {
        let types = Set(changes.compactMap(\.record.type).map { ByteText($0) })
        var matcher = QuerySubscriptionMatcher(try ChangedRecords(changes, ofTypes: types), nil)
        let firings = try matcher.firings(of: subscriptions)
        return Set(firings.flatMap(\.fired).map { "\($0.user) \($0.subscriptionID) \(text($0.record))" })
    }

    private static func text(_ record: RecordFiring?) -> String {
        "\(record?.change?.rawValue ?? "*") \(record?.name ?? "*") \(record?.zone ?? "*")"
    }

    // MARK: Anything

    /// Makes queries and records of which many values are equal, some of them by other types or other scalars.
    private struct Maker {
        static let fields = ["n", "t", "r", "b", "l", "s"]
        static let texts = ["a", "A", "\u{e9}", "e\u{301}", "", "ab", "a\u{0}b", String(repeating: "x", count: 300)]
        static let numbers: [Int64] = [0, 1, -1, 1_000, 1 << 53 + 1, Int64.max]

        var random: SeededGenerator

        mutating func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: 0..<values.count, using: &random)]
        }

        mutating func value() -> WireValue {
            let number = pick(Self.numbers), text = pick(Self.texts)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: return .int64(number)
            case 1: return .double(pick([0, -0.0, 1, 1_000, 0.5, 0x1p53, 0x1p63]))
            case 2: return .timestamp(number)
            case 3: return .reference(WireReference(recordName: text.isEmpty ? "a" : text))
            case 4: return .bytes(Data(text.utf8))
            case 5: return .location(WireLocation(latitude: pick([0, -0.0, 1]), longitude: pick([0, 1])))
            case 6: return .stringList([text, "b"])
            default: return .string(text)
            }
        }

        mutating func filter() -> QueryFilter? {
            let value = value(), name = pick(Self.fields + ["___recordID", "___createdBy", "___modTime", "___parent"])
            let isSystem = name.utf8.first == UInt8(ascii: "_")
            let comparator = pick([
                QueryFilter.Comparator.equals, .equals, .equals, .equals, .notEquals, .lessThan, .isIn, .isIn, .isNotIn,
                .beginsWith, .listContains,
            ])
            var operand = value
            if comparator == .isIn || comparator == .isNotIn {
                operand = .stringList((0..<Int.random(in: 1...2, using: &random)).map { _ in pick(Self.texts) })
            }
            if isSystem {
                operand = name == "___modTime" ? .timestamp(2_000) : .string(pick(["r0", "r1", "_a", "pr0"]))
            }
            let filter =
                isSystem
                ? QueryFilter(systemFieldName: name, .equals, operand) : QueryFilter(name, comparator, operand)
            // Not every comparator takes every value.
            return (try? QueryCondition(filter)) == nil ? nil : filter
        }

        mutating func subscription(_ id: String) -> WireSubscription {
            var filters: [QueryFilter] = []
            for _ in 0..<Int.random(in: 0...3, using: &random) { if let filter = filter() { filters.append(filter) } }
            return wish(id, filters, type: pick(["Item", "Other"]), zone: pick(["Z", "Y", nil]))
        }

        mutating func change(_ name: String) throws -> RecordChange {
            var fields: [String: WireValue?] = [:]
            for field in Self.fields where Bool.random(using: &random) { fields[field] = value() }
            return try SubscriptionMarkTests.change(
                name, type: pick(["Item", "Item", "Other"]), zone: pick(["Z", "Y"]), fields)
        }
    }

    @Test(
        "as many are found as by comparing all, for any queries and records", arguments: StorageKind.allCases, 0..<6)
    func anything(_ kind: StorageKind, _ number: Int) async throws {
        let seed = UInt64(number) &* 7_919 &+ UInt64(Date().timeIntervalSince1970)
        var maker = Maker(random: SeededGenerator(seed: seed))
        try await kind.withStorage { storage in
            let service = Self.service(storage)
            let subscriptions = (0..<200).map { number in
                StoredSubscription(user: "_\(number / 20)", subscription: maker.subscription("s\(number % 20)"))
            }
            try await storage.write { writing in
                let owner = try writing.makeOwner(Self.key, epoch: 1)
                for stored in subscriptions {
                    // Some take the place of others.
                    try writing.putSubscription(
                        owner, user: stored.user, wish(stored.subscription.subscriptionID, type: "Item", zone: nil))
                    try writing.putSubscription(owner, user: stored.user, stored.subscription)
                }
            }
            var hits = 0
            for round in 0..<40 {
                let changes = try (0..<Int.random(in: 1...4, using: &maker.random)).map { try maker.change("r\($0)") }
                let found = try await Self.found(changes, service), all = try Self.all(changes, subscriptions)
                #expect(found == all, "seed \(seed), round \(round)")
                hits += all.count
            }
            let marked = subscriptions.count { SubscriptionMark($0.subscription) != nil }
            #expect(hits > 100 && marked > 40, "seed \(seed): \(hits) hits, \(marked) marks")
        }
    }

    @Test("values are one by what they are equal to for a filter, and by no more")
    func values() {
        func mark(_ value: WireValue, _ field: String = "f", type: String = "T") -> SubscriptionMark {
            SubscriptionMark(type: type, QueryField(known: field), value)
        }
        #expect(mark(.int64(1)) == mark(.double(1)) && mark(.int64(1)) == mark(.timestamp(1)))
        #expect(mark(.double(0)) == mark(.double(-0.0)))
        #expect(mark(.int64(1 << 53 + 1)) != mark(.double(0x1p53)))
        #expect(mark(.string("a")) == mark(.reference(WireReference(recordName: "a"))))
        #expect(mark(.string("a")) != mark(.string("A")) && mark(.string("a")) != mark(.bytes(Data([97]))))
        #expect(mark(.string("\u{e9}")) != mark(.string("e\u{301}")))
        #expect(mark(.string("a")) != mark(.string("a"), "g") && mark(.string("a")) != mark(.string("a"), type: "U"))
        let long = String(repeating: "x", count: 300)
        #expect(mark(.string(long + "a")) != mark(.string(long + "b")))
        func subscription(_ filters: [QueryFilter]) -> SubscriptionMark? { SubscriptionMark(wish("q", filters)) }
        let text = QueryFilter("t", .equals, .string("long enough")), number = QueryFilter("n", .equals, .int64(1))
        #expect(subscription([QueryFilter("n", .isIn, .int64List([1]))]) == mark(.int64(1), "n", type: "Item"))
        #expect(subscription([number, text]) == subscription([text]) && subscription([text])?.field == "t")
        for other in [
            QueryFilter("n", .notEquals, .int64(1)), QueryFilter("n", .isIn, .int64List([1, 2])),
            QueryFilter("n", .isNotIn, .int64List([1])), QueryFilter("n", .lessThan, .int64(1)),
            QueryFilter("n", .listContains, .int64(1)),
        ] { #expect(subscription([other]) == nil) }
        #expect(
            subscription([]) == nil
                && SubscriptionMark(WireSubscription(subscriptionID: "d", subscriptionType: .database)) == nil)
    }

    // MARK: Costs

    @Test("a commit reads a few of 2,000 subscriptions that ask for other values", arguments: StorageKind.allCases)
    func rows(_ kind: StorageKind) async throws {
        try await StatementRecorder.withStorage(kind) { storage, recorder in
            let service = Self.service(storage)
            try await storage.write { writing in
                let owner = try writing.makeOwner(Self.key, epoch: 1)
                for number in 0..<QuerySubscriptionLimits.ofType {
                    let filter = QueryFilter(number % 2 == 0 ? "n" : "m", .equals, .int64(Int64(number)))
                    try writing.putSubscription(owner, user: "_\(number / 20)", wish("s\(number)", [filter], zone: nil))
                }
            }
            func rows(_ name: String, _ value: Int64) async throws -> (rows: Int, news: Set<String>) {
                _ = recorder.takeRows()
                let news = try await Self.found(
                    [try Self.change(name, ["n": .int64(value), "t": .string("x")])], service)
                return (recorder.takeRows(), news)
            }
            let other = try await rows("r", -1), one = try await rows("r", 100)
            #expect(other.rows <= 4 && other.news.isEmpty, "\(other.rows) rows")
            // Servers that share a storage read how often a user's subscriptions have fired.
            #expect(one.rows <= (kind == .directory ? 8 : 30) && one.news == ["_5 s100 update r Z"], "\(one)")
            // As it was, and as an older server leaves them.
            try await storage.write { writing in
                let transaction = writing
                try transaction.execute("UPDATE subscription SET mark = NULL, mark_field = NULL")
            }
            let unmarked = try await rows("r", 100)
            #expect(unmarked.rows >= QuerySubscriptionLimits.ofType && unmarked.news == one.news)
        }
    }

    @Test(
        "a commit of more values than are looked up reads all subscriptions to its types",
        arguments: StorageKind.allCases)
    func manyValues(_ kind: StorageKind) async throws {
        try await kind.withStorage { storage in
            let service = Self.service(storage)
            let subscriptions = (0..<10).map { number in
                StoredSubscription(
                    user: "_\(number)",
                    subscription: wish("s", [QueryFilter("n", .equals, .int64(Int64(number * 100)))], zone: nil))
            }
            try await storage.write { writing in
                let owner = try writing.makeOwner(Self.key, epoch: 1)
                for stored in subscriptions {
                    try writing.putSubscription(owner, user: stored.user, stored.subscription)
                }
            }
            for count in [QuerySubscriptionLimits.marks, QuerySubscriptionLimits.marks + 1] {
                let changes = try (0..<count).map { try Self.change("r\($0)", ["n": .int64(Int64($0))]) }
                #expect(
                    try ChangedRecords(changes, ofTypes: ["Item"]).marks(of: [MarkedField(type: "Item", name: "n")])?
                        .count == (count == QuerySubscriptionLimits.marks ? count : nil))
                let found = try await Self.found(changes, service)
                #expect(found == (try Self.all(changes, subscriptions)) && found.count == 10)
            }
        }
    }

    // MARK: Other versions

    @Test("a subscription that an older server has changed is found by its new query", arguments: StorageKind.allCases)
    func olderServer(_ kind: StorageKind) async throws {
        try await kind.withStorage { storage in
            let service = Self.service(storage)
            let before = wish("s", [QueryFilter("n", .equals, .int64(1))], zone: nil)
            let after = wish("s", [QueryFilter("n", .equals, .int64(2))], zone: nil)
            try await storage.write { writing in
                let owner = try writing.makeOwner(Self.key, epoch: 1)
                try writing.putSubscription(owner, user: "_u", before)
                let transaction = writing
                try transaction.execute("UPDATE subscription SET body = \(Array(try after.wireJSON()))")
            }
            for (value, count) in [(Int64(1), 0), (2, 1)] {
                let found = try await Self.found([try Self.change("r", ["n": .int64(value)])], service)
                #expect(found.count == count)
            }
            try await storage.write { writing in
                let transaction = writing
                try transaction.markSubscriptions()
            }
            let concerned = try await storage.read { reading in
                let owner = try #require(try reading.owner(Self.key))
                return try reading.concernedSubscriptions(owner, zones: ["Z"], types: ["Item"], limit: 10)
            }
            #expect(concerned.queries.isEmpty && concerned.fields == [MarkedField(type: "Item", name: "n")])
            #expect(try await Self.found([try Self.change("r", ["n": .int64(2)])], service).count == 1)
        }
    }
}
