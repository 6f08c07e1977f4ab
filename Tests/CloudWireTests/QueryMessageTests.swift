import Foundation
import Testing

@testable import CloudWire

/// The messages of `records/query`, as they stand on the wire.
@Suite struct QueryMessageTests {
    private func json(_ message: some WireEncodable) throws -> String {
        String(decoding: try message.wireJSON(), as: UTF8.self)
    }

    private func fault(_ filter: String) -> String? {
        do throws(WireCodingError) {
            _ = try RecordsQueryRequest(wireJSON: Array(#"{"query":{"recordType":"T","filterBy":[\#(filter)]}}"#.utf8))
            return nil
        } catch { return error.message }
    }

    @Test("a request is written in one form, and reads back as it was")
    func request() throws {
        var near = QueryFilter("place", .near, .location(WireLocation(latitude: 1, longitude: 2)), distance: 50)
        near.distance = 50.5
        let request = RecordsQueryRequest(
            zoneID: ZoneID(zoneName: "Z"), zoneWide: true,
            query: RecordQuery(
                recordType: "Item",
                filterBy: [
                    QueryFilter("done", .equals, .int64(0)), near,
                    QueryFilter(systemFieldName: "createdTimestamp", .isIn, .timestampList([1, 2])),
                ],
                sortBy: [
                    QuerySort(systemFieldName: "modifiedTimestamp", ascending: false),
                    QuerySort("place", relativeLocation: WireLocation(latitude: 3, longitude: 4)),
                ]),
            resultsLimit: 100, continuationMarker: "m", desiredKeys: ["title"], numbersAsStrings: true,
            getCurrentSyncToken: true)
        let text = #"""
            {"zoneID":{"zoneName":"Z"},"zoneWide":true,"query":{"recordType":"Item","filterBy":[
            {"comparator":"EQUALS","fieldName":"done","fieldValue":{"type":"INT64","value":0}},
            {"comparator":"NEAR","fieldName":"place",
            "fieldValue":{"type":"LOCATION","value":{"latitude":1,"longitude":2}},"distance":50.5},
            {"comparator":"IN","systemFieldName":"createdTimestamp",
            "fieldValue":{"type":"TIMESTAMP_LIST","value":[1,2]}}],
            "sortBy":[{"systemFieldName":"modifiedTimestamp","ascending":false},
            {"fieldName":"place","ascending":true,"relativeLocation":{"latitude":3,"longitude":4}}]},
            "resultsLimit":100,"continuationMarker":"m","desiredKeys":["title"],"numbersAsStrings":true,
            "getCurrentSyncToken":true}
            """#
        // Doubles may be written with a fraction; both forms are read.
        #expect(try RecordsQueryRequest(wireJSON: Array(text.utf8)) == request)
        #expect(try RecordsQueryRequest(wireJSON: request.wireJSON()) == request)
        #expect(
            try json(RecordQuery(recordType: "T", filterBy: [QueryFilter("a", .notListContains, .string("x"))]))
                == #"{"recordType":"T","filterBy":[{"comparator":"NOT_LIST_CONTAINS","fieldName":"a","#
                + #""fieldValue":{"type":"STRING","value":"x"}}]}"#)
    }

    @Test("what a client leaves out, or sends as null, is the default")
    func defaults() throws {
        let text = #"""
            {"zoneID":null,"continuationMarker":null,"desiredKeys":null,"resultsLimit":null,"zoneWide":false,
            "query":{"recordType":"T","filterBy":null,"sortBy":[{"fieldName":"a"}]}}
            """#
        let request = try RecordsQueryRequest(wireJSON: Array(text.utf8))
        #expect(request == RecordsQueryRequest(query: RecordQuery(recordType: "T", sortBy: [QuerySort("a")])))
        #expect(request.query.sortBy[0].ascending)
    }

    @Test("each comparator has the name that the reference gives it", arguments: QueryFilter.Comparator.allCases)
    func comparators(_ comparator: QueryFilter.Comparator) throws {
        let filter = QueryFilter("f", comparator, .string("x"))
        #expect(try json(filter).contains("\"comparator\":\"\(comparator.rawValue)\""))
        #expect(try QueryFilter(wireJSON: filter.wireJSON()) == filter)
        #expect(QueryFilter.Comparator.allCases.count == 20)
    }

    @Test("a filter that lacks something says what")
    func faults() {
        #expect(fault("{}")?.contains("comparator") == true)
        #expect(
            fault(#"{"comparator":"LIKE","fieldName":"a","fieldValue":{"value":1}}"#) == "unknown comparator 'LIKE'")
        for value in ["", #","fieldValue":null"#, #","fieldValue":{}"#, #","fieldValue":{"value":null}"#] {
            #expect(
                fault(#"{"comparator":"EQUALS","fieldName":"a"\#(value)}"#)
                    == "a filter needs a fieldValue with a value")
        }
        #expect(throws: WireCodingError.self) { try RecordsQueryRequest(wireJSON: Array("{}".utf8)) }
        #expect(throws: WireCodingError.self) { try RecordsQueryRequest(wireJSON: Array(#"{"query":{}}"#.utf8)) }
    }

    @Test("an answer has a marker only when more may follow")
    func response() throws {
        let record = RecordResult.record(WireRecord(recordName: "A", recordType: "T"))
        let last = RecordsQueryResponse(records: [record])
        #expect(!(try json(last)).contains("continuationMarker"))
        let more = RecordsQueryResponse(records: [], continuationMarker: "m", syncToken: "t")
        #expect(try json(more) == #"{"records":[],"continuationMarker":"m","syncToken":"t"}"#)
        #expect(try RecordsQueryResponse(wireJSON: more.wireJSON()) == more)
    }
}
