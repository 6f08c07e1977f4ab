import Testing

@testable import CloudWire

/// Deletions as text.
@Suite("deletions") struct TombstoneTests {
    private func read<Message: WireDecodable>(_ json: String, as _: Message.Type = Message.self) throws -> Message {
        try Message(wireJSON: Array(json.utf8))
    }

    private func text(_ message: some WireEncodable) throws -> String {
        String(decoding: try message.wireJSON(), as: UTF8.self)
    }

    @Test("a deletion in a feed has a type that is null; the answer to a deletion has none")
    func tombstones() throws {
        let told = WireRecord(recordName: "C", recordChangeTag: "2a", deleted: true)
        let json = #"{"recordName":"C","recordType":null,"recordChangeTag":"2a","deleted":true}"#
        #expect(try text(told) == json)
        #expect(try read(json) == told)
        #expect(
            try text(RecordChangesResponse(records: [told], syncToken: "t", moreComing: false))
                == "{\"records\":[\(json)],\"syncToken\":\"t\",\"moreComing\":false}")
        let done = WireRecord(recordName: "C", deleted: true)
        #expect(try text(done) == #"{"recordName":"C","deleted":true}"#)
        #expect(try text(WireRecord(recordName: "C", recordChangeTag: "2a")).contains("recordType") == false)
        var moved = told
        moved.movedTo = "Club"
        let other = #"{"recordName":"C","recordType":null,"recordChangeTag":"2a","deleted":true,"movedTo":"Club"}"#
        #expect(try text(moved) == other)
        #expect(try read(other) == moved)
    }
}
