import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// All comparators and orders, over random records, on each database, against ``QueryOracle``.
@Suite struct QueryComparatorTests {
    private static let words = ["ash", "birch", "Cedar", "a", "ab", "abc", "", "b", "oak tree", "old oak, ash"]

    /// Random values, few enough that many are equal.
    struct Source {
        var random: SeededGenerator

        mutating func word() -> String { QueryComparatorTests.words.randomElement(using: &random) ?? "" }

        mutating func number() -> WireValue {
            let small = Int64.random(in: -3...3, using: &random)
            return switch Int.random(in: 0..<4, using: &random) {
            case 0: .double(Double(small) + 0.5)
            case 1: .double(Double(small))
            case 2: .timestamp(small)
            default: .int64(small)
            }
        }

        mutating func place() -> WireLocation {
            WireLocation(
                latitude: Double.random(in: -2...2, using: &random),
                longitude: Double.random(in: -2...2, using: &random))
        }

        mutating func list<Element>(_ element: (inout Source) -> Element) -> [Element] {
            (0..<Int.random(in: 0...4, using: &random)).map { _ in element(&self) }
        }

        mutating func fields() -> [String: WireValue?] {
            var fields: [String: WireValue?] = [
                "text": .string(word()), "number": number(), "place": .location(place()),
                "bytes": .bytes(Data(word().utf8)), "link": .reference(WireReference(recordName: "r" + word())),
                "words": .stringList(list { $0.word() }),
                "numbers": .int64List(list { source in Int64.random(in: 0...4, using: &source.random) }),
            ]
            for name in Array(fields.keys).sorted() where Int.random(in: 0..<6, using: &random) == 0 {
                fields[name] = nil
            }
            // Records of one type may have one field in several types.
            if Int.random(in: 0..<8, using: &random) == 0 { fields["number"] = .string(word()) }
            return fields
        }

        mutating func filter(_ comparator: QueryFilter.Comparator) -> QueryFilter {
            let small = Int64.random(in: 0...4, using: &random)
            switch comparator {
            case .near:
                return QueryFilter(
                    "place", .near, .location(place()), distance: Double.random(in: 0...200_000, using: &random))
            case .containsAllTokens, .containsAnyTokens:
                return QueryFilter(
                    "text", comparator,
                    .string(["oak", "ash oak", "tree", "OLD ash"].randomElement(using: &random) ?? ""))
            case .isIn, .isNotIn:
                return Bool.random(using: &random)
                    ? QueryFilter("text", comparator, .stringList(list { $0.word() }))
                    : QueryFilter("number", comparator, .int64List(list { _ in small }))
            case .listContains, .notListContains:
                return Bool.random(using: &random)
                    ? QueryFilter("numbers", comparator, .int64(small))
                    : QueryFilter("words", comparator, .string(word()))
            case .listContainsAll, .notListContainsAll, .notListContainsAny:
                return QueryFilter("words", comparator, .stringList(list { $0.word() }))
            case .beginsWith, .notBeginsWith:
                return QueryFilter(Bool.random(using: &random) ? "text" : "link", comparator, .string(word()))
            case .listMemberBeginsWith, .notListMemberBeginsWith:
                return QueryFilter("words", comparator, .string(word()))
            default:
                switch Int.random(in: 0..<4, using: &random) {
                case 0: return QueryFilter("text", comparator, .string(word()))
                case 1: return QueryFilter("bytes", comparator, .bytes(Data(word().utf8)))
                case 2: return QueryFilter(systemFieldName: "recordName", comparator, .string("r\(small)"))
                default: return QueryFilter("number", comparator, number())
                }
            }
        }
    }

    private func names(_ records: [WireRecord]) -> [String] { records.map(\.recordName).sorted() }

    @Test("a query gives the records for which all its filters hold, each once", arguments: StorageKind.allCases)
    func filters(_ kind: StorageKind) async throws {
        let seed = SeededGenerator.seed()
        print("counted: query filters on \(kind), seed \(seed)")
        var source = Source(random: SeededGenerator(seed: seed))
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            let operations = (0..<120).map { operation(.create, "r\($0)", source.fields()) }
            #expect(try await client.modify(operations).allSatisfy { $0.error == nil })
            let other = RecordOperation(
                .create, WireRecord(recordName: "other", recordType: "Other", fields: source.fields()))
            try await client.modify([other])
            let all = try await client.follow().records.filter { $0.recordType == "Item" }
            #expect(all.count == 120)
            for comparator in QueryFilter.Comparator.allCases {
                for round in 0..<6 {
                    var filters = [source.filter(comparator)]
                    if round == 5 { filters.append(QueryFilter("numbers", .notListContains, .int64(1))) }
                    let expected = all.filter { record in filters.allSatisfy { QueryOracle.holds($0, record) } }
                    let found = try await client.query(
                        RecordQuery(recordType: "Item", filterBy: filters), limit: round.isMultiple(of: 2) ? 7 : nil)
                    #expect(names(found) == names(expected), "seed \(seed): \(filters)")
                }
            }
        }
    }

    @Test("a query's order is that of its fields, then of names, in either direction", arguments: StorageKind.allCases)
    func orders(_ kind: StorageKind) async throws {
        let seed = SeededGenerator.seed()
        print("counted: query orders on \(kind), seed \(seed)")
        var source = Source(random: SeededGenerator(seed: seed))
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            let operations = (0..<90).map { operation(.create, "r\($0)", source.fields()) }
            try await client.modify(operations)
            let all = try await client.follow().records
            func rank(_ record: WireRecord, _ field: String) -> WireValue? { record.value(field) }
            for (first, second) in [(true, true), (true, false), (false, true), (false, false)] {
                let sorts = [QuerySort("text", ascending: first), QuerySort("bytes", ascending: second)]
                let query = RecordQuery(
                    recordType: "Item", filterBy: [QueryFilter("numbers", .notListContains, .int64(0))], sortBy: sorts)
                let found = try await client.query(query, limit: 11)
                let expected = all.filter { QueryOracle.holds(query.filterBy[0], $0) }
                    .sorted { left, right in
                        for (field, ascending) in [("text", first), ("bytes", second)] {
                            let (a, b) = (rank(left, field), rank(right, field))
                            // Records without the field come first where small values do.
                            let order =
                                a == nil || b == nil
                                ? (a == nil ? 0 : 1) - (b == nil ? 0 : 1) : QueryOracle.order(a, b) ?? 0
                            if order != 0 { return ascending ? order < 0 : order > 0 }
                        }
                        let isBefore = left.recordName.utf8.lexicographicallyPrecedes(right.recordName.utf8)
                        return first ? isBefore : !isBefore
                    }
                #expect(found.map(\.recordName) == expected.map(\.recordName), "seed \(seed): \(first) \(second)")
            }
            let here = WireLocation(latitude: 0.3, longitude: -0.2)
            func metres(_ record: WireRecord) -> Double? {
                if case .location(let place)? = record.value("place") { QueryDistance.metres(place, here) } else { nil }
            }
            let near = try await client.query(
                RecordQuery(recordType: "Item", sortBy: [QuerySort("place", relativeLocation: here)]), limit: 13)
            #expect(names(near) == names(all))
            #expect(near.map { metres($0) ?? -1 } == all.map { metres($0) ?? -1 }.sorted())
        }
    }
}
