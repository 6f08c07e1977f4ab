import CloudWire
import TestSupport

@testable import BackstitchServer

extension TestClient {
    /// One answer to a query.
    func queryPage(
        _ query: RecordQuery, zone: String? = "Z", zoneWide: Bool = false, limit: Int? = nil, marker: String? = nil,
        desiredKeys: [String]? = nil
    ) async throws -> RecordsQueryResponse {
        try await call(
            .recordsQuery,
            RecordsQueryRequest(
                zoneID: zone.map { ZoneID(zoneName: $0) }, zoneWide: zoneWide, query: query, resultsLimit: limit,
                continuationMarker: marker, desiredKeys: desiredKeys))
    }

    /// All records of a query, page by page.
    func query(
        _ query: RecordQuery, zone: String? = "Z", zoneWide: Bool = false, limit: Int? = nil
    ) async throws -> [WireRecord] {
        var records: [WireRecord] = []
        var marker: String?
        for _ in 0..<10_000 {
            let page = try await queryPage(query, zone: zone, zoneWide: zoneWide, limit: limit, marker: marker)
            records += try page.records.map { try $0.record() }
            marker = page.continuationMarker
            if marker == nil { return records }
        }
        throw TestFailure("a query without end: \(query)")
    }
}

/// The meaning of a filter, written once more, and plainly: the server's own evaluation is tested against it.
enum QueryOracle {
    static func holds(_ filter: QueryFilter, _ record: WireRecord) -> Bool {
        let stored = value(filter, record)
        let wanted = filter.fieldValue
        switch filter.comparator {
        case .equals: return stored.map { order($0, wanted) == 0 } ?? false
        case .notEquals: return !(stored.map { order($0, wanted) == 0 } ?? false)
        case .lessThan: return order(stored, wanted).map { $0 < 0 } ?? false
        case .lessThanOrEquals: return order(stored, wanted).map { $0 <= 0 } ?? false
        case .greaterThan: return order(stored, wanted).map { $0 > 0 } ?? false
        case .greaterThanOrEquals: return order(stored, wanted).map { $0 >= 0 } ?? false
        case .isIn: return elements(wanted).contains { order(stored, $0) == 0 }
        case .isNotIn: return !elements(wanted).contains { order(stored, $0) == 0 }
        case .near:
            guard case .location(let place)? = stored, case .location(let center) = wanted else { return false }
            return QueryDistance.metres(place, center) <= filter.distance ?? 0
        case .containsAllTokens: return words(wanted).isSubset(of: words(stored))
        case .containsAnyTokens: return !words(wanted).isDisjoint(with: words(stored))
        case .listContains: return has(stored, wanted)
        case .notListContains: return !has(stored, wanted)
        case .notListContainsAny: return !elements(wanted).contains { has(stored, $0) }
        case .listContainsAll: return isList(stored) && elements(wanted).allSatisfy { has(stored, $0) }
        case .notListContainsAll: return !(isList(stored) && elements(wanted).allSatisfy { has(stored, $0) })
        case .beginsWith: return begins(stored, wanted)
        case .notBeginsWith: return !begins(stored, wanted)
        case .listMemberBeginsWith: return elements(stored).contains { begins($0, wanted) }
        case .notListMemberBeginsWith: return !elements(stored).contains { begins($0, wanted) }
        }
    }

    private static func value(_ filter: QueryFilter, _ record: WireRecord) -> WireValue? {
        switch filter.systemFieldName {
        case "recordName": .string(record.recordName)
        case "createdTimestamp": record.created.map { .timestamp($0.timestamp) }
        case "modifiedTimestamp": record.modified.map { .timestamp($0.timestamp) }
        default: record.value(filter.fieldName ?? "")
        }
    }

    /// Less, equal or greater; nil for values of different kinds.
    static func order(_ first: WireValue?, _ second: WireValue?) -> Int? {
        if let first = number(first), let second = number(second) {
            return first < second ? -1 : first == second ? 0 : 1
        }
        if let first = first?.text, let second = second?.text {
            return order(Array(first.utf8), Array(second.utf8))
        }
        switch (first, second) {
        case (.bytes(let first), .bytes(let second)): return order(Array(first), Array(second))
        case (.location(let first), .location(let second)):
            return first.latitude == second.latitude && first.longitude == second.longitude ? 0 : 1
        default: return nil
        }
    }

    private static func order(_ first: [UInt8], _ second: [UInt8]) -> Int {
        first == second ? 0 : first.lexicographicallyPrecedes(second) ? -1 : 1
    }

    /// Numbers of the tests are small, or whole: all are exact.
    private static func number(_ value: WireValue?) -> Double? {
        switch value {
        case .int64(let number), .timestamp(let number): Double(exactly: number)
        case .double(let number): number
        default: nil
        }
    }

    private static func elements(_ value: WireValue?) -> [WireValue] { value?.elements ?? [] }
    private static func isList(_ value: WireValue?) -> Bool { value?.elements != nil }

    private static func has(_ list: WireValue?, _ value: WireValue) -> Bool {
        elements(list).contains { order($0, value) == 0 }
    }

    private static func begins(_ value: WireValue?, _ beginning: WireValue) -> Bool {
        guard let text = value?.text, let start = beginning.text else { return false }
        return text.hasPrefix(start)
    }

    private static func words(_ value: WireValue?) -> Set<String> {
        Set((value?.text ?? "").lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
    }
}
