import Backstitch
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the mapping of records")
struct MappingTests {
    let model: SyncedModel
    let note: SyncedEntity

    init() throws {
        model = SyncedModel(try SyncTestModel.resolved())
        note = try #require(model.entity(named: "Note"))
    }

    @Test("every type goes to the wire and back without loss")
    func roundTrip() throws {
        let seed = SeededGenerator.seed()
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let values = note.columns.map { Self.value(for: $0, &random) }
            let back = try decode(try encode(values))
            #expect(back.values == values, "seed \(seed)")
        }
    }

    @Test("the wire has the types that servers expect")
    func wireTypes() throws {
        let values: [String: Value] = [
            "title": "é", "rank": .int(.min), "done": true,
            "price": .decimal(Decimal(string: "-0.00100000000000000000000000000001")!),
            "ratio": 0.1, "created": .date(Date(milliseconds: -1)), "token": .uuid(key(7).uuid),
            "link": .uri(URL(string: "https://example.org/a?b=c")!), "blob": .data(Data([0, 255])),
            "style": .data(Data("[]".utf8)), "folder": .object(ObjectID(entityName: "Folder", key: key(9))),
        ]
        let fields = try encode(note.columns.map { values[$0.name] ?? .null })
        #expect(fields["title"] == .string("é"))
        #expect(fields["rank"] == .int64(.min))
        #expect(fields["done"] == .int64(1))
        #expect(fields["price"] == .string("-0.00100000000000000000000000000001"))
        #expect(fields["created"] == .timestamp(-1))
        #expect(fields["token"] == .string(key(7).uuidString))
        #expect(fields["blob"] == .bytes(Data([0, 255])))
        #expect(fields["folder"] == .reference(WireReference(recordName: key(9).uuidString, action: .none)))
        #expect(fields["body"] == .some(nil))
    }

    @Test("numbers that JSON cannot hold are named", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(_ number: Double) throws {
        var values = note.columns.map { _ in Value.null }
        values[try #require(note.entity.property(named: "ratio")).slot] = .double(number)
        let fault = #expect(throws: RecordFault.self) { try encode(values) }
        #expect(fault?.reason.contains("Note/\(key(1).uuidString).ratio") == true)
    }

    @Test(
        "a value of a wrong type is refused by name",
        arguments: [
            ("title", WireValue.int64(1)), ("rank", .string("1")), ("rank", .double(1.5)), ("small", .int64(40_000)),
            ("medium", .int64(1 << 40)), ("done", .int64(2)), ("price", .string("much")), ("price", .double(1.5)),
            ("created", .string("today")), ("token", .string("no UUID")), ("blob", .string("text")),
            ("photo", .bytes(Data())), ("folder", .string("x")), ("tags", .string("x")), ("tags", .stringList(["x"])),
        ])
    func wrongType(_ field: String, _ value: WireValue) {
        let record = WireRecord(recordName: key(1).uuidString, recordType: "Note", fields: [field: value])
        let fault = #expect(throws: RecordFault.self) { try RecordDecoder(zone: "Z").decode(record, as: note) }
        #expect(fault?.reason.contains("the field \(field) is ") == true)
    }

    @Test(
        "a record with a value that came encrypted is no object, known field or not: it would be sent back plain",
        arguments: [
            #""title":{"value":"QQ==","type":"STRING","isEncrypted":true}"#,
            #""else":{"value":"x","type":"ENCRYPTED_STRING"}"#,
        ])
    func encrypted(_ field: String) throws {
        let json = #"{"recordName":"\#(key(1).uuidString)","recordType":"Note","fields":{\#(field)}}"#
        let record = try WireRecord(wireJSON: Array(json.utf8))
        let fault = #expect(throws: RecordFault.self) { try RecordDecoder(zone: "Z").decode(record, as: note) }
        #expect(fault?.reason.contains("is encrypted") == true)
    }

    @Test("fields that the model does not have are kept")
    func unknownFields() throws {
        let record = WireRecord(
            recordName: key(1).uuidString, recordType: "Note",
            fields: ["title": .string("a"), "colour": .string("red"), "list": .int64List([1, 2]), "cleared": nil])
        let kept = try #require(try RecordDecoder(zone: "Z").decode(record, as: note).unknownFields)
        let fields = try WireRecord.Fields(json: Array(kept)).values
        #expect(fields == ["colour": .string("red"), "list": .int64List([1, 2])])
        let plain = WireRecord(recordName: key(1).uuidString, recordType: "Note", fields: ["title": .string("a")])
        #expect(try RecordDecoder(zone: "Z").decode(plain, as: note).unknownFields == nil)
    }

    @Test("record names are keys' upper-case UUIDs; any other name gets a key that depends on zone and name")
    func names() {
        let own = key(0xABCDEF)
        #expect(RecordName.key(of: own.uuidString, zone: "Z") == (own, false))
        let foreign = ["thing", own.uuidString.lowercased(), "é", "e\u{301}", String(own.uuidString.dropLast())]
        let keys = foreign.map { RecordName.key(of: $0, zone: "Z") }
        #expect(keys.allSatisfy { $0.isForeign && RecordName.mayBeForeign($0.key) })
        #expect(keys.allSatisfy { $0.key.low >> 62 == 0b10 })
        #expect(Set(keys.map(\.key)).count == foreign.count)
        #expect(RecordName.key(of: "thing", zone: "Y").key != keys[0].key)
        #expect(RecordName.key(of: "thing", zone: "Z").key == keys[0].key)
        #expect(!RecordName.mayBeForeign(own))
    }

    // MARK: Helpers

    private func encode(_ values: [Value]) throws -> [String: WireValue?] {
        let rows = batch(values)
        let encoder = RecordEncoder(foreignNames: [:])
        var fields: [String: WireValue?] = [:]
        for column in note.columns { fields.updateValue(try encoder.value(0, column, of: rows), forKey: column.name) }
        return fields
    }

    private func decode(_ fields: [String: WireValue?]) throws -> RecordImage {
        // Through JSON, as it travels.
        let sent = WireRecord(recordName: key(1).uuidString, recordType: "Note", fields: fields)
        let received = try WireRecord(wireJSON: sent.wireJSON())
        return try RecordDecoder(zone: "Z").decode(received, as: note).image(key: key(1), of: note, keeping: nil)
    }

    private func batch(_ values: [Value]) -> RowBatch {
        var builder = RowBatchBuilder(entity: note.entity, capacity: 1)
        builder.beginRow(key: key(1), version: 1)
        for value in values { builder.append(value) }
        return builder.finish()
    }

    private static func value(for column: ResolvedProperty, _ random: inout SeededGenerator) -> Value {
        if Int.random(in: 0..<5, using: &random) == 0 { return .null }
        guard let attribute = column.attribute else {
            return .object(ObjectID(entityName: "Folder", key: ObjectKey(high: random.next(), low: random.next())))
        }
        switch attribute.type {
        case .integer16: return .int(Int64(Int16.random(in: .min ... .max, using: &random)))
        case .integer32: return .int(Int64(Int32.random(in: .min ... .max, using: &random)))
        case .integer64: return .int(.random(in: .min ... .max, using: &random))
        case .boolean: return .bool(.random(using: &random))
        case .double: return .double(Double(bitPattern: random.next() & 0x7FDF_FFFF_FFFF_FFFF))
        case .float: return .double(Double(Float.random(in: -1e30...1e30, using: &random)))
        case .date:
            return .date(Date(milliseconds: .random(in: -62_000_000_000_000...253_000_000_000_000, using: &random)))
        case .decimal:
            return .decimal(
                Decimal(Int64.random(in: .min ... .max, using: &random))
                    / Decimal(sign: .plus, exponent: 12, significand: 1))
        case .uuid: return .uuid(ObjectKey(high: random.next(), low: random.next()).uuid)
        case .uri: return .uri(URL(string: "https://example.org/\(random.next())?q=%20#f") ?? URL(fileURLWithPath: "/"))
        case .string: return .string(text(&random))
        case .binary where attribute.allowsExternalStorage:
            return .asset(AssetReference(checksum: "sum\(random.next())", size: .random(in: 0...1_000, using: &random)))
        case .binary, .transformable:
            return .data(
                Data(
                    (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            )
        }
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let scalars: [UnicodeScalar] = [
            "a", "Z", " ", "\"", "\\", "\n", "\u{0}", "\u{1F}", "é", "e", "\u{301}", "😀", "\u{2028}",
        ]
        return (0..<Int.random(in: 0...20, using: &random)).reduce(into: "") { text, _ in
            text.unicodeScalars.append(scalars.randomElement(using: &random) ?? "a")
        }
    }
}
