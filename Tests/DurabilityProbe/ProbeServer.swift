import AsyncHTTPClient
import Backstitch
import BackstitchServer
import Foundation
import Logging
import NIOCore
import NIOHTTP1

/// A server on a folder, and calls to it over HTTP.
struct ProbeServer {
    let server: ZoneServer
    let base: String

    init(_ folder: URL, _ change: (inout ZoneServerConfiguration) -> Void = { _ in }) async throws {
        var configuration = ZoneServerConfiguration(port: 0, storage: .directory(folder))
        configuration.logger.logLevel = .critical
        change(&configuration)
        server = try ZoneServer(configuration: configuration)
        base = try await server.start().absoluteString
    }

    func makeZone() async throws {
        try await call(
            "zones/modify", #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#)
    }

    func push(_ name: String) async throws {
        let record = #"{"recordName":"\#(name)","recordType":"Item","fields":{"n":{"value":1,"type":"INT64"}}}"#
        try await call(
            "records/modify",
            #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"create","record":\#(record)}]}"#)
    }

    /// Calls an endpoint of the private database.
    ///
    /// - Throws: when the answer is not 200.
    @discardableResult
    func call(_ endpoint: String, _ body: String) async throws -> String {
        let answer = try await send("\(base)/database/1/iCloud.test/development/private/\(endpoint)", Array(body.utf8))
        guard answer.status == 200 else { throw BackstitchError(.invalidRequest, "\(endpoint): \(answer)") }
        return answer.text
    }

    func send(_ url: String, _ body: [UInt8]) async throws -> (status: Int, text: String) {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.body = .bytes(ByteBuffer(bytes: body))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let text = try await response.body.collect(upTo: 1 << 20)
        return (Int(response.status.code), String(buffer: text))
    }
}
