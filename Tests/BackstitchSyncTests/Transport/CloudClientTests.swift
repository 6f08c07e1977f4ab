import Backstitch
import CloudWire
import Foundation
import Testing

@testable import BackstitchSync

@Suite("the client of the wire")
struct CloudClientTests {
    @Test("addresses are those of CloudKit Web Services, tokens percent-encoded whole")
    func addresses() async throws {
        let (client, transport) = try StubTransport.client([
            .syncContainer: "iCloud.org.example", .syncEnvironment: "production", .syncAPIToken: "a/b",
            .syncWebAuthToken: "c+d=",
        ]) { _ in .json(#"{"zones":[{"zoneID":{"zoneName":"Backstitch"}}]}"#) }
        try await client.makeZone()
        #expect(
            transport.requests.map(\.url) == [
                "https://example.org/database/1/iCloud.org.example/production/private/zones/modify"
                    + "?ckAPIToken=a%2Fb&ckWebAuthToken=c%2Bd%3D"
            ])
    }

    @Test("a token that the server rotates is used from then on, and its limits hold from then on")
    func rotation() async throws {
        let (client, transport) = try StubTransport.client([.syncWebAuthToken: "old"]) { _ in
            .json(
                #"{"zones":[{"zoneID":{"zoneName":"Backstitch"}}]}"#,
                headers: [("x-apple-cloudkit-web-auth-token", "new"), ("x-backstitch-limits", "operations=7; page=9")])
        }
        try await client.makeZone()
        try await client.makeZone()
        #expect(transport.requests.map { $0.url.hasSuffix("=new") } == [false, true])
        #expect(client.limits.operations == 7)
        #expect(client.limits.page == 9)
    }

    @Test(
        "each refusal is understood",
        arguments: [
            (
                401, #"{"serverErrorCode":"AUTHENTICATION_FAILED","reason":"no","uuid":"1"}"#,
                SyncFailure.Kind.authentication, nil
            ),
            (421, #"{"serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"no","uuid":"1"}"#, .authentication, nil),
            (429, #"{"serverErrorCode":"THROTTLED","reason":"slow","uuid":"1","retryAfter":7}"#, .busy, 7_000),
            (503, #"{"serverErrorCode":"TRY_AGAIN_LATER","reason":"busy","uuid":"1"}"#, .busy, 3_000),
            (404, #"{"serverErrorCode":"ZONE_NOT_FOUND","reason":"gone","uuid":"1"}"#, .zoneNotFound, nil),
            (500, "<html>", .busy, 3_000), (502, "", .busy, 3_000), (403, "", .authentication, nil),
            (302, "", .permanent, nil),
            (413, "", .batchRefused, nil), (200, "not JSON", .permanent, nil),
            (200, #"{"records":[]}"#, .permanent, nil),
            (400, #"{"serverErrorCode":"BAD_REQUEST","reason":"limit exceeded: 5","uuid":"1"}"#, .batchRefused, nil),
            (413, #"{"serverErrorCode":"QUOTA_EXCEEDED","reason":"full","uuid":"1"}"#, .permanent, nil),
        ] as [(Int, String, SyncFailure.Kind, Int64?)])
    func refusals(_ status: Int, _ body: String, _ kind: SyncFailure.Kind, _ wait: Int64?) async throws {
        let (client, _) = try StubTransport.client { _ in
            .json(body, status: status, headers: [("Retry-After", "3")])
        }
        let failure = await #expect(throws: SyncFailure.self) { _ = try await client.send(batch(1)) }
        #expect(failure?.kind == kind)
        if let wait { #expect(failure?.retryAfter == wait) }
    }

    @Test("each answer to one record is understood, and what the server has is looked up where it did not say")
    func answers() async throws {
        let (client, transport) = try StubTransport.client { request in
            guard request.url.contains("records/modify") else {
                return .json(
                    """
                    {"records":[{"recordName":"\(key(3).uuidString)","recordType":"Note","recordChangeTag":"z","fields":{}},
                    {"recordName":"\(key(4).uuidString)","serverErrorCode":"NOT_FOUND","reason":"none"}]}
                    """)
            }
            func error(_ code: String, _ more: String = "") -> String {
                #"{"recordName":"x","serverErrorCode":"\#(code)","reason":"r"\#(more)}"#
            }
            let items = [
                #"{"recordName":"x","recordChangeTag":"t"}"#, error("CONFLICT", #","serverRecordDeleted":true"#),
                error("CONFLICT"),
                error("EXISTS"), error("NOT_FOUND"), error("ATOMIC_ERROR"), error("THROTTLED", #","retryAfter":2"#),
                error("VALIDATING_REFERENCE_ERROR"), error("QUOTA_EXCEEDED"), error("BAD_REQUEST"),
            ]
            return .json(#"{"records":[\#(items.joined(separator: ","))]}"#)
        }
        let reply = try await client.send(batch(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
        let names = reply.answers.map { answer in
            switch answer {
            case .done(let tag): "done \(tag ?? "")"
            case .conflict(let record): "conflict \(record?.recordChangeTag ?? "deleted")"
            case .refused: "refused"
            case .later(let wait): "later \(wait ?? 0)"
            case .untouched: "untouched"
            }
        }
        #expect(
            names == [
                "done t", "conflict deleted", "conflict z", "conflict deleted", "conflict deleted", "untouched",
                "later 2000",
                "refused", "refused", "refused",
            ])
        #expect(transport.requests.count == 2)
    }

    @Test("a deletion of what is gone is done")
    func goneAlready() async throws {
        let (client, _) = try StubTransport.client { _ in
            .json(#"{"records":[{"recordName":"x","serverErrorCode":"NOT_FOUND","reason":"r"}]}"#)
        }
        var deletion = batch(1)
        deletion.items[0].operation.operationType = .delete
        guard case .done = try await client.send(deletion).answers[0] else {
            Issue.record("a deletion of a missing record is no success")
            return
        }
    }

    @Test("any BAD_REQUEST to a question with a token means that the token is not honoured", arguments: [true, false])
    func tokens(inZone: Bool) async throws {
        let error = #""serverErrorCode":"BAD_REQUEST","reason":"Unknown sync continuation type""#
        let (client, _) = try StubTransport.client { _ in
            inZone
                ? .json(#"{"zones":[{"zoneID":{"zoneName":"Backstitch"},\#(error)}]}"#)
                : .json("{\(error)}", status: 400)
        }
        let refused = await #expect(throws: SyncFailure.self) { _ = try await client.changes(after: "token") }
        #expect(refused?.kind == .tokenRefused)
        let other = await #expect(throws: SyncFailure.self) { _ = try await client.changes(after: nil) }
        #expect(other?.kind == .permanent)
    }

    @Test("a feed that says more comes but not from where ends the cycle instead of going round")
    func endlessFeed() async throws {
        let (client, _) = try StubTransport.client { _ in
            .json(
                #"{"zones":[{"zoneID":{"zoneName":"Backstitch"},"syncToken":"same","moreComing":true,"records":[]}]}"#)
        }
        let failure = await #expect(throws: SyncFailure.self) { _ = try await client.changes(after: "same") }
        #expect(failure?.error.code == .protocolViolation)
    }

    @Test("an address that is less safe than the server's own is not visited")
    func downgrade() async throws {
        let (client, transport) = try StubTransport.client { _ in .json("") }
        for url in ["http://example.org/x", "file:///etc/passwd", "ftp://example.org"] {
            await #expect(throws: SyncFailure.self) {
                _ = try await client.transfer("GET", url, timeout: 1_000, maximumResponse: 10)
            }
        }
        #expect(transport.requests.isEmpty)
    }

    @Test("errors tell no tokens")
    func secrets() async throws {
        for kind in [TransportError.Kind.unreachable, .timeout, .tooLarge] {
            let (client, _) = try StubTransport.client([.syncWebAuthToken: "topsecret", .syncAPIToken: "topsecret"]) {
                _ in
                throw TransportError(kind, "it did not work")
            }
            let failure = await #expect(throws: SyncFailure.self) { try await client.makeZone() }
            var dumped = ""
            dump(failure, to: &dumped)
            #expect(!dumped.contains("topsecret"))
        }
        let (client, _) = try StubTransport.client([
            .syncServerURL: "http://127.0.0.1:9", .syncWebAuthToken: "topsecret",
        ]) {
            _ in .json("")
        }
        let real = CloudClient(options: client.options, transport: HTTPTransport())
        let failure = await #expect(throws: SyncFailure.self) { try await real.makeZone() }
        var dumped = ""
        dump(failure, to: &dumped)
        #expect(failure?.kind == .network)
        #expect(!dumped.contains("topsecret"))
    }
}
