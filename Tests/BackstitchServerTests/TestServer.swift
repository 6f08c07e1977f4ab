import AsyncHTTPClient
import Backstitch
import CloudWire
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// Runs a server on a free port for the time of `body`.
func withServer<Value>(
    _ change: (inout ZoneServerConfiguration) -> Void = { _ in },
    _ body: (TestClient, ZoneServer) async throws -> Value
) async throws -> Value {
    var configuration = ZoneServerConfiguration(port: 0, storage: .memory)
    configuration.logger.logLevel = .critical
    configuration.containers = .any
    // A test that stood still for a minute keeps its slow connections. The tests of these limits set them.
    configuration.headTimeout = 3_600
    configuration.bodyTimeout = 3_600
    configuration.idleTimeout = 3_600
    configuration.bodyPace.grace = .hours(1)
    // A look that comes between a commit and its news tells them once more, without names.
    configuration.peerInterval = 3_600
    change(&configuration)
    let server = try ZoneServer(configuration: configuration)
    let url = try await server.start()
    let result: Value
    do {
        result = try await body(TestClient(base: url.absoluteString), server)
    } catch {
        try await server.stop()
        throw error
    }
    try await server.stop()
    return result
}

/// A folder that is removed after `body`, if `body` has made it.
func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("backstitch-\(UUID().uuidString)")
    defer {
        if FileManager.default.fileExists(atPath: folder.path) {
            do { try FileManager.default.removeItem(at: folder) } catch { Issue.record("left behind: \(folder.path)") }
        }
    }
    return try await body(folder)
}

/// A raw answer.
struct TestAnswer {
    var status: Int
    var headers: HTTPHeaders
    var body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Speaks the wire over real HTTP.
struct TestClient: Sendable {
    var base: String
    var container = "iCloud.test"
    var environment = "development"
    var database = "private"
    /// Query parameters of credentials.
    var query = ""
    var extensions = false
    var device: String?
    var bearer: String?
    /// Signs each request.
    var signer: TestSigner?

    static let zone = ZoneID(zoneName: "Z")

    func user(_ name: String) -> TestClient {
        var copy = self
        copy.query = "ckWebAuthToken=\(name)"
        return copy
    }

    func extended() -> TestClient {
        var copy = self
        copy.extensions = true
        return copy
    }

    func on(_ database: String) -> TestClient {
        var copy = self
        copy.database = database
        return copy
    }

    func send(_ address: String, method: HTTPMethod = .POST, headers: HTTPHeaders = [:], body: [UInt8] = [])
        async throws
        -> TestAnswer
    {
        var request = HTTPClientRequest(url: address)
        request.method = method
        request.headers = headers
        if method != .GET, method != .HEAD { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(70))
        let bytes = try await response.body.collect(upTo: 256 << 20)
        return TestAnswer(
            status: Int(response.status.code), headers: response.headers, body: Array(bytes.readableBytesView))
    }

    func raw(_ path: String, _ body: [UInt8] = [], method: HTTPMethod = .POST) async throws -> TestAnswer {
        var headers: HTTPHeaders = ["Content-Type": "text/plain"]
        if extensions { headers.add(name: WireHeader.extensions, value: "1") }
        if let device { headers.add(name: WireHeader.device, value: device) }
        if let bearer { headers.add(name: "Authorization", value: "Bearer \(bearer)") }
        let target = path + (query.isEmpty ? "" : "?" + query)
        if let signer { headers.add(contentsOf: try signer.headers(target, method == .GET ? [] : body)) }
        return try await send(base + target, method: method, headers: headers, body: body)
    }

    func raw(_ endpoint: WireEndpoint, _ body: String) async throws -> TestAnswer {
        try await raw(
            endpoint.path(container: container, environment: environment, database: database), Array(body.utf8))
    }

    /// Calls an endpoint and reads its answer.
    ///
    /// - Throws: the wire's error when the whole request failed.
    func call<Answer: WireDecodable>(
        _ endpoint: WireEndpoint, _ message: some WireEncodable = EmptyBody(), as _: Answer.Type = Answer.self
    ) async throws -> Answer {
        let path = endpoint.path(container: container, environment: environment, database: database)
        let answer = try await raw(path, message.wireJSON())
        guard answer.status == 200 else { throw try WireError(wireJSON: answer.body) }
        return try Answer(wireJSON: answer.body)
    }

    // MARK: Shorthands

    @discardableResult
    func makeZone(_ name: String = "Z") async throws -> ZoneInfo {
        let answer: ZonesResponse = try await call(
            .zonesModify, ZonesModifyRequest(operations: [.init(.create, ZoneID(zoneName: name))]))
        guard case .zone(let zone)? = answer.zones.first else { throw TestFailure("no zone: \(answer)") }
        return zone
    }

    @discardableResult
    func modify(
        _ operations: [RecordOperation], zone: String? = "Z", atomic: Bool? = nil, desiredKeys: [String]? = nil,
        key: String? = nil, readUpTo token: String? = nil, device: String? = nil
    ) async throws -> [RecordResult] {
        let answer: RecordsResponse = try await call(
            .recordsModify,
            RecordsModifyRequest(
                zoneID: zone.map { ZoneID(zoneName: $0) }, operations: operations, atomic: atomic,
                desiredKeys: desiredKeys, idempotencyKey: key, syncToken: token, deviceID: device))
        return answer.records
    }

    /// One operation that must succeed.
    @discardableResult
    func save(
        _ kind: RecordOperation.Kind, _ name: String, tag: String? = nil,
        _ fields: [String: WireValue?] = [:], zone: String? = "Z"
    ) async throws -> WireRecord {
        let record = WireRecord(
            recordName: name, recordType: kind.isDeletion ? nil : "Item", recordChangeTag: tag, fields: fields)
        return try await modify([RecordOperation(kind, record)], zone: zone)[0].record()
    }

    @discardableResult
    func save(_ name: String, _ fields: [String: WireValue?] = [:], zone: String? = "Z") async throws -> WireRecord {
        try await save(.create, name, fields, zone: zone)
    }

    func lookup(_ names: [String], zone: String? = "Z") async throws -> [RecordResult] {
        let answer: RecordsResponse = try await call(
            .recordsLookup,
            RecordsLookupRequest(
                zoneID: zone.map { ZoneID(zoneName: $0) }, records: names.map { .init(recordName: $0) }))
        return answer.records
    }

    func page(
        _ token: String? = nil, zone: String = "Z", limit: Int? = nil, reverse: Bool? = nil
    ) async throws -> ZoneChanges {
        let answer: ZoneChangesResponse = try await call(
            .changesZone,
            ZoneChangesRequest(
                zones: [.init(zoneID: ZoneID(zoneName: zone), syncToken: token, reverse: reverse)], resultsLimit: limit)
        )
        switch answer.zones.first {
        case .changes(let changes): return changes
        case .error(let error): throw error.error
        case nil: throw TestFailure("no zone in the answer")
        }
    }

    /// All changes after a token, page by page.
    func follow(_ token: String? = nil, zone: String = "Z", limit: Int? = nil) async throws -> (
        records: [WireRecord], token: String?
    ) {
        var records: [WireRecord] = []
        var token = token
        while true {
            let page = try await page(token, zone: zone, limit: limit)
            records += page.records
            token = page.syncToken
            if !page.moreComing { return (records, token) }
        }
    }
}

extension RecordResult {
    func record() throws -> WireRecord {
        switch self {
        case .record(let record): return record
        case .error(let error): throw error
        }
    }

    var error: WireError? {
        if case .error(let error) = self { error.error } else { nil }
    }

    var failure: RecordError? {
        if case .error(let error) = self { error } else { nil }
    }
}

func create(_ name: String, _ fields: [String: WireValue?] = [:]) -> RecordOperation {
    RecordOperation(.create, WireRecord(recordName: name, recordType: "Item", fields: fields))
}

func operation(
    _ kind: RecordOperation.Kind, _ name: String, tag: String? = nil, type: String? = "Item",
    _ fields: [String: WireValue?] = [:]
) -> RecordOperation {
    RecordOperation(
        kind,
        WireRecord(
            recordName: name, recordType: kind.isDeletion ? nil : type, recordChangeTag: tag, fields: fields))
}

/// Expects the whole call to fail with a code.
@discardableResult
func expectFailure(
    _ code: WireErrorCode, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> some Any
) async -> WireError? {
    do {
        _ = try await body()
        Issue.record("no error, but expected \(code)", sourceLocation: sourceLocation)
        return nil
    } catch let error as WireError {
        #expect(error.code == code, sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("\(error), but expected \(code)", sourceLocation: sourceLocation)
        return nil
    }
}

/// A token as long as servers want them, that begins with a word.
func strong(_ word: String) -> String { word + "-0123456789abcdefghijklmnop" }
