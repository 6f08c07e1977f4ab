import Foundation
import Testing

@testable import CloudWire

@Suite struct ValueTests {
    private func field(_ json: String) throws(WireCodingError) -> WireField {
        try JSONReader.read(Array(json.utf8)) { (reader) throws(WireCodingError) in try WireField.read(from: &reader) }
    }

    static let samples: [WireValue] = {
        let reference = WireReference(
            recordName: "r\"1", zoneID: ZoneID(zoneName: "Z", ownerRecordName: "_o", zoneType: .custom),
            action: .deleteSelf)
        let asset = WireAsset(
            fileChecksum: "AQ==", size: .max, receipt: "re", wrappingKey: "w", referenceChecksum: "rc",
            downloadURL: "http://h/${f}")
        var place = WireLocation(latitude: -12.5, longitude: 179.999999)
        place.horizontalAccuracy = 1
        place.verticalAccuracy = 2
        place.altitude = -3
        place.speed = 0.25
        place.course = 359.9
        place.timestamp = -1
        return [
            .string(""), .string("e\u{301} \u{E9} \u{1F600} \" \\ \u{0} \n"), .int64(5), .double(2), .timestamp(1),
            .bytes(Data([0, 255, 10])), .bytes(Data()), .reference(reference), .asset(asset), .location(place),
            .stringList(["a", "b"]), .int64List([1, .min]), .doubleList([1, -0.5]), .timestampList([3]),
            .bytesList([Data([1]), Data()]), .referenceList([reference]), .assetList([asset]), .locationList([place]),
        ]
    }()

    static let emptyLists: [WireValue] = [
        .stringList([]), .int64List([]), .doubleList([]), .timestampList([]), .bytesList([]), .referenceList([]),
        .assetList([]), .locationList([]), .unknownList,
    ]

    @Test("every kind of value comes back as it was, with its type", arguments: samples + emptyLists)
    func roundTrip(_ value: WireValue) throws {
        var writer = JSONWriter()
        value.write(to: &writer, field: "f")
        let json = String(decoding: try writer.finish(), as: UTF8.self)
        let back = try field(json)
        #expect(back.value == value)
        #expect(!back.isInferred)
        if case .string(let text)? = back.value, case .string(let original) = value {
            #expect(Array(text.utf8) == Array(original.utf8))
        }
    }

    @Test(
        "a value may stand before its type",
        arguments: [
            ("{\"value\":5,\"type\":\"TIMESTAMP\"}", WireValue.timestamp(5)),
            ("{\"value\":\"AQI=\",\"isEncrypted\":true,\"type\":\"BYTES\"}", .bytes(Data([1, 2]))),
            ("{\"value\":[],\"type\":\"REFERENCE_LIST\"}", .referenceList([])),
            (
                "{\"value\":{\"fileChecksum\":\"c\",\"size\":1},\"type\":\"ASSET\"}",
                .asset(.init(fileChecksum: "c", size: 1))
            ),
            ("{\"value\":\"7\",\"type\":\"INT64\"}", .int64(7)),
            ("{\"value\":\"-0.5\",\"type\":\"DOUBLE\"}", .double(-0.5)),
            ("{\"value\":[\"1\",2,true],\"type\":\"INT64_LIST\"}", .int64List([1, 2, 1])),
            ("{\"value\":true,\"type\":\"INT64\"}", .int64(1)),
            ("{\"value\":2,\"type\":\"DOUBLE\"}", .double(2)),
            ("{\"value\":\"x\",\"type\":\"ENCRYPTED_STRING\"}", .string("x")),
        ])
    func tagged(_ json: String, expected: WireValue) throws {
        let read = try field(json)
        #expect(read.value == expected)
        #expect(!read.isInferred)
    }

    @Test(
        "a value without a type gets one from its JSON",
        arguments: [
            ("{\"value\":\"5\"}", WireValue.string("5")), ("{\"value\":5}", .int64(5)), ("{\"value\":5.0}", .double(5)),
            ("{\"value\":false}", .int64(0)), ("{\"value\":[]}", .unknownList),
            ("{\"value\":[1,2]}", .int64List([1, 2])),
            ("{\"value\":[1,2.5]}", .doubleList([1, 2.5])), ("{\"value\":[\"a\"]}", .stringList(["a"])),
            ("{\"value\":{\"recordName\":\"r\"}}", .reference(.init(recordName: "r"))),
            ("{\"value\":[{\"action\":\"NONE\",\"recordName\":\"r\"}]}", .referenceList([.init(recordName: "r")])),
            ("{\"value\":{\"latitude\":1,\"longitude\":2}}", .location(.init(latitude: 1, longitude: 2))),
            ("{\"value\":{\"size\":3,\"fileChecksum\":\"c\"}}", .asset(.init(fileChecksum: "c", size: 3))),
            ("{\"value\":5,\"type\":null}", .int64(5)),
        ])
    func inferred(_ json: String, expected: WireValue) throws {
        let read = try field(json)
        #expect(read.value == expected)
        #expect(read.isInferred)
    }

    @Test(
        "an empty field or a null value clears the field",
        arguments: [
            "{}", "{\"value\":null}", "{\"value\":null,\"type\":\"STRING\"}", "{\"type\":\"INT64\",\"value\":null}",
        ])
    func cleared(_ json: String) throws {
        #expect(try field(json).value == nil)
        let record = try WireRecord(wireJSON: Array("{\"recordName\":\"r\",\"fields\":{\"a\":\(json)}}".utf8))
        #expect(record.fields == ["a": WireValue?.none])
        #expect(try WireRecord(wireJSON: record.wireJSON()).fields == ["a": WireValue?.none])
    }

    @Test(
        "a value of the wrong kind is refused, naming the field",
        arguments: [
            "{\"type\":\"STRING\",\"value\":5}", "{\"type\":\"INT64\",\"value\":\"x\"}",
            "{\"type\":\"BYTES\",\"value\":\"*\"}",
            "{\"type\":\"REFERENCE\",\"value\":{}}", "{\"type\":\"LOCATION\",\"value\":{\"latitude\":1}}",
            "{\"type\":\"STRING_LIST\",\"value\":\"a\"}", "{\"type\":\"WHAT\",\"value\":1}", "{\"value\":{}}",
            "{\"value\":[[1]]}", "{\"value\":[1,\"a\"]}", "{\"type\":5,\"value\":1}", "5", "\"x\"",
            "{\"type\":\"REFERENCE\",\"value\":{\"recordName\":\"a\",\"action\":\"EXPLODE\"}}",
            "{\"type\":\"DOUBLE\",\"value\":\"nan\"}", "{\"type\":\"ASSETID\",\"value\":{\"size\":1}}",
        ])
    func wrongKind(_ json: String) {
        let error = #expect(throws: WireCodingError.self) {
            try WireRecord(wireJSON: Array("{\"recordName\":\"r\",\"fields\":{\"size\":\(json)}}".utf8))
        }
        #expect(error?.kind == .value)
        #expect(error?.message.contains("field 'size'") == true)
    }

    @Test("a field that is null is absent, and the name of one is ASCII")
    func fieldNames() throws {
        let record = try WireRecord(wireJSON: Array("{\"recordName\":\"r\",\"fields\":{\"a\":null}}".utf8))
        #expect(record.fields.isEmpty)
        #expect(throws: WireCodingError.self) {
            try WireRecord(wireJSON: Array("{\"fields\":{\"\u{E9}\":{\"value\":1}}}".utf8))
        }
    }
}
