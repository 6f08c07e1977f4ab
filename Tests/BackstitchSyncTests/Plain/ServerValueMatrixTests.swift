import Backstitch
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("every JSON value that a server may send, in every property", .scenario, .timeLimit(.minutes(5)))
struct ServerValueMatrixTests: ScenarioSuite {
    @Test("becomes an object that can be read, or a parked record whose reason names it", arguments: properties)
    func matrix(_ property: String) async throws {
        let line = AddingLine(try s.server, Self.records(property))
        let device = try s.device(over: line)
        let summary = try await device.sync.sync()
        #expect(line.hasAdded)
        let parked = Dictionary(
            try await device.sync.blocked.parkedRecords().map { ($0.recordName, $0.reason) }, uniquingKeysWith: { $1 })
        let taken = try await device.read { context in
            try context.fetch(FetchRequest<TestNote>()).map { note in
                // Reading and printing any value must not trap.
                (note.objectID, Self.isLink(property) ? Value.null : try note.value(forKey: property))
            }
        }
        let names = Set(taken.map { $0.0.key.uuidString })
        var unreadable = 0
        for (number, field) in Self.fields.enumerated() {
            let name = key(UInt64(number + 1)).uuidString
            #expect(names.contains(name) != (parked[name] != nil), "\(property): \(field)")
            if let reason = parked[name] { #expect(reason.contains(property), "\(property): \(field): \(reason)") }
            guard !Self.isReadable(property, field) else { continue }
            #expect(parked[name]?.contains("field '\(property)'") == true, "\(property): \(field)")
            unreadable += 1
        }
        #expect(summary.parked.count == parked.count && unreadable > 0 && !taken.isEmpty)
        for (id, value) in taken { #expect("\(value)".isEmpty == (value == .string("")), "\(id)") }
        try await expectSendable(taken.map { $0.1 }, property, of: device)
    }

    /// Whether the wire can carry a field.
    private static func isReadable(_ property: String, _ field: String) -> Bool {
        (try? WireRecord(wireJSON: Array(record(1, property, field).utf8))) != nil
    }

    /// Expects that values from the server can be sent back to it.
    private func expectSendable(_ values: [Value], _ property: String, of device: SyncDevice) async throws {
        guard !Self.isLink(property), property != "photo" else { return }
        let other = try s.device()
        try await other.edit { context in
            for value in Set(values) { try context.insertObject(entityName: "Note").setValue(value, forKey: property) }
        }
        let summary = try await other.sync.sync()
        #expect(summary.blocked.isEmpty, "\(property): \(summary.blocked.map(\.reason))")
        let reader = try s.device()
        try await reader.sync.sync()
        #expect(try await reader.dump() == other.dump())
    }

    @Test("that is no JSON is refused with words, and nothing of its answer is taken", arguments: noJSON)
    func malformed(_ text: String) async throws {
        let record = Self.record(1, "rank", #"{"value":\#(text),"type":"INT64"}"#)
        let device = try s.device(over: AddingLine(try s.server, record))
        let error = await #expect(throws: BackstitchError.self) { try await device.sync.sync() }
        #expect(error?.code == .protocolViolation && error.map { "\($0)".contains("changes/zone") } == true)
        #expect(try await device.titles().isEmpty)
    }

    // MARK: The matrix

    private static let properties = [
        "title", "rank", "small", "medium", "done", "price", "ratio", "share", "created", "token", "link", "blob",
        "style", "photo", "folder", "tags",
    ]

    private static func isLink(_ property: String) -> Bool { property == "folder" || property == "tags" }

    /// The JSON of fields: every value under every type.
    private static let fields =
        ["{}", #"{"type":"INT64"}"#]
        + values.flatMap { value in
            types.map { #"{"value":\#(value)\#($0.map { #","type":"\#($0)""# } ?? "")}"# }
        }

    private static let types: [String?] = [
        nil, "INT64", "DOUBLE", "STRING", "TIMESTAMP", "BYTES", "REFERENCE", "ASSETID", "LOCATION", "STRING_LIST",
        "REFERENCE_LIST", "INT64_LIST",
    ]

    private static let values = numbers + texts + others

    private static let numbers = [
        "0", "-0", "1", "-1", "1.5", "32767", "32768", "-32769", "2147483648", "-2147483649", "9007199254740993",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
        "18446744073709551616", "1e15", "8.64e15", "1e18", "1e19", "-1e19", "1e40", "1e308", "1e309", "-1e309",
        "1e-400", "5e-324", "123456789012345678901234567890123456789", "1\(String(repeating: "0", count: 400))",
    ]

    private static let texts = [
        "\"\"", "\"NaN\"", "\"Infinity\"", "\"-Infinity\"", "\"nan\"", "\"1e400\"", "\"12.5\"", "\"1e200\"",
        "\"a\\u0000b\"",
        "\"AAAA\"", "\"A\"", "\"****\"", "\"\(String(repeating: "9", count: 60))\"", "\"http://[\"",
        "\"00000000-0000-0000-0000-000000000000\"", "\"2026-01-01T00:00:00Z\"", "\"W10=\"", "\"bnVsbA==\"",
    ]

    private static let others = [
        "null", "true", "false", "[]", "[null]", "[1]", "[\"a\"]", "[[]]", "{}", #"{"recordName":""}"#,
        #"{"recordName":"X","action":"NONE"}"#, #"{"recordName":"X","action":"NOTHING"}"#, #"{"recordName":7}"#,
        #"[{"recordName":"X"}]"#, #"{"fileChecksum":"x","size":-1}"#,
        #"{"fileChecksum":"x","size":9223372036854775807,"downloadURL":"nowhere"}"#,
        #"{"latitude":1e309,"longitude":0}"#,
    ]

    private static let noJSON = ["NaN", "Infinity", "-Infinity", "+1", "01", "1e", ".5", "1.", "nul", "'a'", "\"a", ""]

    /// A record for each field.
    private static func records(_ property: String) -> String {
        fields.enumerated().map { record(UInt64($0 + 1), property, $1) }.joined(separator: ",")
    }

    private static func record(_ number: UInt64, _ property: String, _ field: String) -> String {
        #"{"recordName":"\#(key(number).uuidString)","recordType":"Note","recordChangeTag":"t\#(number)","#
            + #""fields":{"\#(property)":\#(field)}}"#
    }
}

/// Carries requests to a server, and puts records into its first answer about a zone's changes.
private final class AddingLine: Transport {
    private let base: any Transport
    private let records: String
    private let added = Locked(false)

    var hasAdded: Bool { added.withLock { $0 } }

    init(_ base: any Transport, _ records: String) { (self.base, self.records) = (base, records) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var response = try await base.send(request)
        let path = request.url.split(separator: "?")[0]
        guard path.hasSuffix("/changes/zone") || path.hasSuffix("/records/changes"), !hasAdded else { return response }
        let text = String(decoding: response.body, as: UTF8.self)
        guard let place = text.range(of: #""records":["#) else { return response }
        added.withLock { $0 = true }
        let comma = text[place.upperBound...].hasPrefix("]") ? "" : ","
        response.body = Array(
            (String(text[..<place.upperBound]) + records + comma + String(text[place.upperBound...])).utf8)
        return response
    }
}
