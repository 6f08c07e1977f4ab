import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// Addresses that let in any holder. The tests check their hosts.
@Suite("addresses that the server gives out") struct GivenAddressTests {
    /// Calls as Alice, to a server by a certain host name.
    private struct Caller {
        var base: TestClient
        var host: String

        func call<Answer: WireDecodable>(
            _ endpoint: WireEndpoint, _ message: some WireEncodable, as _: Answer.Type = Answer.self
        ) async throws -> Answer {
            let path = endpoint.path(container: "iCloud.test", environment: "development", database: "private")
            let headers: HTTPHeaders = ["Host": host, "Authorization": "Bearer \(strong("alice"))"]
            let answer = try await base.send(base.base + path, headers: headers, body: message.wireJSON())
            guard answer.status == 200 else { throw try WireError(wireJSON: answer.body) }
            #expect(!answer.text.contains("evil"))
            return try Answer(wireJSON: answer.body)
        }

        /// An address of each kind, and of each answer that has one: its beginning, and the whole address.
        func addresses(leadingTo place: String) async throws -> [(start: String, address: String?)] {
            let made: PushToken = try await call(.tokensCreate, PushToken())
            let given: AssetUploadResponse = try await call(
                .assetsUpload,
                AssetUploadRequest(
                    zoneID: TestClient.zone, tokens: [.init(recordName: "r", recordType: "Item", fieldName: "f")]))
            let upload = given.tokens[0].url
            let sent = try await base.send(
                upload.replacingOccurrences(of: place, with: base.base), headers: ["Host": host],
                body: Array("bytes".utf8))
            let receipt = try AssetUploadReceipt(wireJSON: sent.body)
            let save = operation(.forceReplace, "r", ["f": .asset(receipt.singleFile)])
            let saved: RecordsResponse = try await call(
                .recordsModify, RecordsModifyRequest(zoneID: TestClient.zone, operations: [save]))
            let found: RecordsResponse = try await call(
                .recordsLookup, RecordsLookupRequest(zoneID: TestClient.zone, records: [.init(recordName: "r")]))
            let changes: ZoneChangesResponse = try await call(
                .changesZone, ZoneChangesRequest(zones: [.init(zoneID: TestClient.zone)]))
            guard case .changes(let page)? = changes.zones.first else { throw TestFailure("\(changes)") }
            let records = try [saved.records[0].record(), found.records[0].record()] + page.records
            #expect(records.count == 3)
            let downloads = records.map { record -> (String, String?) in
                guard case .asset(let asset)? = record.value("f") else { return ("\(place)/", nil) }
                return ("\(place)/assets/download/", asset.downloadURL)
            }
            return [("\(place)/aps?tok=", made.webcourierURL), ("\(place)/assets/bytes?ticket=", upload)] + downloads
        }
    }

    @Test(
        "they lead to the public URL that is configured, and else to the address that is listened on; never where a forged Host says",
        arguments: [nil, "https://cloud.example/sync", "https://cloud.example/sync/"], ["evil.example", "localhost:1"])
    func place(_ publicURL: String?, _ host: String) async throws {
        try await withServer({
            $0.users = [.init(userRecordName: "_alice", webAuthToken: strong("alice"))]
            $0.publicURL = publicURL.flatMap { URL(string: $0) }
        }) { base, _ in
            // A host name that can mean only this machine is trusted if none is configured.
            let own = host == "localhost:1" ? "http://localhost:1" : base.base
            let place = publicURL == nil ? own : "https://cloud.example/sync"
            let caller = Caller(base: base, host: host)
            let zone = ZonesModifyRequest(operations: [.init(.create, TestClient.zone)])
            _ = try await caller.call(.zonesModify, zone, as: ZonesResponse.self)
            let addresses = try await caller.addresses(leadingTo: place)
            for (start, address) in addresses { #expect(address?.hasPrefix(start) == true, "\(address ?? "none")") }
            let download = try #require(addresses.last?.address).replacingOccurrences(of: place, with: base.base)
            #expect(try await base.send(download, method: .GET).text == "bytes")
        }
    }
}
