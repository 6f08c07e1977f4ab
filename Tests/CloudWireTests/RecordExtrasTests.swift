import Testing

@testable import CloudWire

@Suite("the parts of a record that are kept out of line") struct RecordExtrasTests {
    private static func record() -> WireRecord {
        var record = WireRecord(recordName: "a", zoneID: ZoneID(zoneName: "Z"))
        record.created = WireStamp(timestamp: 1, userRecordName: "ada")
        return record
    }

    @Test("a copy that is changed leaves the other one as it was")
    func copies() {
        let record = Self.record()
        var copy = record
        copy.created = WireStamp(timestamp: 2)
        copy.parent = WireReference(recordName: "p")
        #expect(record.created?.timestamp == 1 && record.parent == nil && record == Self.record())
        #expect(copy.created?.timestamp == 2 && copy.zoneID?.zoneName == "Z" && copy != record)
    }

    @Test("records with the same parts are equal, whatever they had before")
    func equality() {
        var record = Self.record()
        (record.created, record.zoneID) = (nil, nil)
        #expect(record == WireRecord(recordName: "a") && record.hashValue == WireRecord(recordName: "a").hashValue)
        for (change, undo) in [
            ({ $0.clearsParent = true }, { $0.clearsParent = false }),
            ({ $0.inferredFields = ["f"] }, { $0.inferredFields = [] }),
            ({ $0.encryptedFields = ["f"] }, { $0.encryptedFields = [] }),
            ({ $0.share = WireShare() }, { $0.share = nil }),
            ({ $0.modified = WireStamp(timestamp: 3) }, { $0.modified = nil }),
        ] as [((inout WireRecord) -> Void, (inout WireRecord) -> Void)] {
            change(&record)
            #expect(record != WireRecord(recordName: "a"))
            undo(&record)
            #expect(record == WireRecord(recordName: "a"))
        }
    }
}
