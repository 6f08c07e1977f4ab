import Testing

@testable import CloudWire

@Suite("fields of an answer that cannot be read") struct FaultyFieldsTests {
    private static let text =
        #"{"recordName":"a","recordType":"Note","fields":{"rank":{"value":"x","type":"INT64"},"title":{"value":"t","#
        + #""type":"STRING"},"done":{"value":[[1]]},"é":{"value":1}},"recordChangeTag":"1"}"#

    @Test("are told by the first, and leave the record's other parts and fields whole")
    func kept() throws {
        let record = try WireRecord(wireAnswer: Array(Self.text.utf8))
        #expect(record.faultyFields?.reason.hasPrefix("field 'rank': ") == true)
        #expect(record.recordChangeTag == "1" && record.fields == ["title": .string("t")])
    }

    @Test("are written as they came, so that who keeps the record finds the fault again")
    func rewritten() throws {
        let record = try WireRecord(wireAnswer: Array(Self.text.utf8))
        let again = try WireRecord(wireAnswer: record.wireJSON())
        #expect(again == record && again.faultyFields == record.faultyFields && again.faultyFields != nil)
    }

    @Test("leave the other records of the answer whole")
    func page() throws {
        let whole = #"{"recordName":"b","recordType":"Note","fields":{"rank":{"value":1,"type":"INT64"}}}"#
        let page = #"{"records":[\#(whole),\#(Self.text),\#(whole.replacing("\"b\"", with: "\"c\""))]}"#
        let answer = try RecordsResponse(wireAnswer: Array(page.utf8))
        let found = answer.records.map { if case .record(let record) = $0 { record } else { WireRecord.blank } }
        #expect(found.map(\.recordName) == ["b", "a", "c"])
        #expect(found.map { $0.faultyFields == nil } == [true, false, true])
        #expect(found[2].fields == ["rank": .int64(1)])
    }

    @Test("are none in a message that is no JSON, and none in a request: it is refused as a whole")
    func refused() throws {
        #expect(throws: WireCodingError.self) { try WireRecord(wireJSON: Array(Self.text.utf8)) }
        for fields in [#"{"rank":{"value":01}}"#, #"{"rank":{"value":"x","type":"INT64","type":"INT64"}}"#] {
            let record = #"{"recordName":"a","fields":\#(fields)}"#
            #expect(throws: WireCodingError.self, "\(fields)") { try WireRecord(wireAnswer: Array(record.utf8)) }
        }
    }
}
