import Backstitch
import CloudWire
import Foundation
import TestSupport

@testable import BackstitchSync

/// The server's records as another client of the wire sees and writes them.
struct WireView {
    private let client: CloudClient

    init(_ world: SyncWorld, zone: String = "Backstitch") throws { try self.init(url: world.url, zone: zone) }

    init(url: URL, zone: String = "Backstitch", user: String? = nil) throws {
        try self.init(url.absoluteString, transport: HTTPTransport(), zone: zone, user: user)
    }

    init(_ url: String, transport: any Transport, zone: String, user: String? = nil) throws {
        var raw: [StoreOption: any Sendable] = [.syncServerURL: url, .syncZoneName: zone]
        raw[.syncWebAuthToken] = user
        let options = try SyncOptions(
            StoreOptions(raw, specifications: SyncOptions.specifications), model: SyncTestModel.resolved())
        client = CloudClient(options: options, transport: transport)
    }

    func makeZone() async throws { try await client.makeZone() }

    func deleteZone() async throws {
        _ = try await client.call(
            .zonesModify, ZonesModifyRequest(operations: [.init(.delete, client.zone)]), as: ZonesResponse.self)
    }

    func record(_ id: ObjectID) async throws -> WireRecord? { try await record(named: id.key.uuidString) }

    func record(named name: String) async throws -> WireRecord? { try await client.records(named: [name]).first ?? nil }

    /// All records of the zone.
    func all() async throws -> [WireRecord] {
        var records: [String: WireRecord] = [:]
        var token: String?
        repeat {
            let page = try await client.changes(after: token)
            for record in page.records { records[record.recordName] = record.deleted ? nil : record }
            token = page.moreComing ? page.token : nil
        } while token != nil
        return Array(records.values)
    }

    @discardableResult
    func query(_ query: RecordQuery) async throws -> [WireRecord] {
        let request = RecordsQueryRequest(zoneID: client.zone, query: query)
        let answer = try await client.call(.recordsQuery, request, as: RecordsQueryResponse.self)
        return try answer.records.map { result in
            switch result {
            case .record(let record): record
            case .error(let error): throw error
            }
        }
    }

    @discardableResult
    func modify(_ operations: RecordOperation...) async throws -> [RecordResult] { try await modify(operations) }

    @discardableResult
    func modify(_ operations: [RecordOperation]) async throws -> [RecordResult] {
        let request = RecordsModifyRequest(zoneID: client.zone, operations: operations, atomic: false)
        return try await client.call(.recordsModify, request, as: RecordsResponse.self).records
    }

    func create(_ name: String, _ type: String, _ fields: [String: WireValue?] = [:]) async throws {
        try await modify(RecordOperation(.create, WireRecord(recordName: name, recordType: type, fields: fields)))
    }

    func change(_ id: ObjectID, _ fields: [String: WireValue?]) async throws {
        let record = WireRecord(recordName: id.key.uuidString, recordType: id.entityName, fields: fields)
        try await modify(RecordOperation(.forceUpdate, record))
    }

    func delete(_ id: ObjectID) async throws {
        try await modify(RecordOperation(.forceDelete, WireRecord(recordName: id.key.uuidString)))
    }

    /// Makes notes with these numbers, ``noteID(_:)`` being their identities.
    func createNotes(_ numbers: Range<Int>) async throws {
        let operations = numbers.map { number in
            RecordOperation(
                .create,
                WireRecord(
                    recordName: key(UInt64(number)).uuidString, recordType: "Note",
                    fields: [
                        "title": .string("note \(number)"), "rank": .int64(Int64(number)), "done": .int64(1),
                        "body": .string("a few words about \(number), so that it is like a note"),
                        "ratio": .double(0.5),
                        "created": .timestamp(1_700_000_000_000), "small": .int64(3), "medium": .int64(4),
                        "price": .string("12.50"), "share": .double(0.25),
                    ]))
        }
        try await modify(operations)
    }
}
