import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the client of the wire")
struct CloudClientTests {
    private static let zones = #"{"zones":[{"zoneID":{"zoneName":"Backstitch"}}]}"#
    private static let unknownCaller =
        #"{"uuid":"u","serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"request needs authorization"}"#

    @Test(
        "tokens go in headers; a server that shows no extensions and refuses that has them in the address from then on")
    func addresses() async throws {
        let (client, transport) = try StubTransport.client([
            .syncContainer: "iCloud.org.example", .syncEnvironment: "production", .syncAPIToken: "a/b",
            .syncWebAuthToken: "c+d=",
        ]) { request in
            request.url.contains("?") ? .json(Self.zones) : .json(Self.unknownCaller, status: 421)
        }
        try await client.makeZone()
        try await client.makeZone()
        let address = "https://example.org/database/1/iCloud.org.example/production/private/zones/modify"
        let query = "?ckAPIToken=a%2Fb&ckWebAuthToken=c%2Bd%3D"
        #expect(transport.requests.map(\.url) == [address, address + query, address + query])
        #expect(transport.requests.map { $0.has("Authorization", "Bearer c+d=") } == [true, false, false])
        #expect(transport.requests.map { $0.has(WireHeader.parameters, "ckAPIToken=a%2Fb") } == [true, false, false])
    }

    @Test(
        "who refuses a request and is no server of the wire gets no token in an address",
        arguments: [("{}", 403), ("<html>Sign in</html>", 401), (#"{"error":"too many"}"#, 429), (unknownCaller, 400)])
    func bystanders(_ body: String, _ status: Int) async throws {
        let (client, transport) = try StubTransport.client([.syncWebAuthToken: "topsecret"]) { _ in
            .json(body, status: status)
        }
        for _ in 0..<2 { await #expect(throws: SyncFailure.self) { try await client.makeZone() } }
        #expect(transport.requests.count == 2)
        #expect(transport.requests.allSatisfy { !$0.url.contains("topsecret") })
        #expect(transport.requests.allSatisfy { $0.has("Authorization", "Bearer topsecret") })
    }

    @Test(
        "to a server with extensions no address ever has a secret, also when it refuses the token, and also of its own addresses"
    )
    func hidden() async throws {
        let isRefused = Locked(true)
        let (client, transport) = try StubTransport.client([.syncWebAuthToken: "topsecret"]) { request in
            let headers = [(name: "X-Backstitch-Extensions", value: "1")]
            if isRefused.withLock({ $0 }) { return .json("{}", status: 421, headers: headers) }
            return .json(Self.zones, headers: headers)
        }
        await #expect(throws: SyncFailure.self) { try await client.makeZone() }
        isRefused.withLock { $0 = false }
        try await client.makeZone()
        client.setPushListener(device: "d", url: "https://example.org/aps?tok=topsecret")
        _ = try await client.listen()
        _ = try await client.transfer("GET", "https://example.org:443/a?mark=topsecret", timeout: 1, maximumResponse: 9)
        #expect(transport.requests.count == 4)
        #expect(transport.requests.allSatisfy { !$0.url.contains("topsecret") })
        #expect(transport.requests[2].has(WireHeader.parameters, "tok=topsecret"))
        // Another host may not know what the header is for.
        _ = try await client.transfer("GET", "https://else.example.org/a?mark=x", timeout: 1, maximumResponse: 9)
        #expect(transport.requests[4].url.hasSuffix("?mark=x"))
    }

    @Test("a token that the server rotates is used from then on, and its limits hold from then on")
    func rotation() async throws {
        let (client, transport) = try StubTransport.client([.syncWebAuthToken: "old"]) { _ in
            .json(
                Self.zones,
                headers: [("x-apple-cloudkit-web-auth-token", "new"), ("x-backstitch-limits", "operations=7; page=9")])
        }
        try await client.makeZone()
        try await client.makeZone()
        #expect(transport.requests.map { $0.has("Authorization", "Bearer new") } == [false, true])
        #expect(client.limits.operations == 7)
        #expect(client.limits.page == 9)
    }

    @Test("a text that no header can carry does not take a token's place, whoever gives it")
    func noToken() async throws {
        for text in ["\0", "two words", "line\r\n", "é"] {
            let (client, transport) = try StubTransport.client([.syncWebAuthToken: "old"]) { _ in
                .json(Self.zones, headers: [(WireHeader.rotatedToken, text)])
            }
            for _ in 0..<2 { try await client.makeZone() }
            #expect(transport.requests.allSatisfy { $0.has("Authorization", "Bearer old") }, "\(text.debugDescription)")
            client.setCredentials(SyncCredentials(apiToken: nil, webAuthToken: text))
            let failure = await #expect(throws: SyncFailure.self) { try await client.makeZone() }
            #expect(failure?.kind == .authentication)
            #expect(failure?.error.message.contains("web token that setCredentials was given") == true)
            #expect(transport.requests.count == 2)
            client.setCredentials(SyncCredentials(apiToken: nil, webAuthToken: "new"))
            try await client.makeZone()
        }
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
            (413, #"{"serverErrorCode":"QUOTA_EXCEEDED","reason":"full","uuid":"1"}"#, .noRoom, nil),
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
            func name(_ number: Int) -> String { key(UInt64(number)).uuidString }
            func error(_ number: Int, _ code: String, _ more: String = "") -> String {
                #"{"recordName":"\#(name(number))","serverErrorCode":"\#(code)","reason":"r"\#(more)}"#
            }
            let items =
                request.url.contains("records/modify")
                ? [
                    #"{"recordName":"\#(name(1))","recordChangeTag":"t"}"#,
                    error(2, "CONFLICT", #","serverRecordDeleted":true"#), error(3, "CONFLICT"), error(4, "EXISTS"),
                    error(5, "NOT_FOUND"), error(6, "ATOMIC_ERROR"), error(7, "THROTTLED", #","retryAfter":2"#),
                    error(8, "VALIDATING_REFERENCE_ERROR"), error(9, "QUOTA_EXCEEDED"), error(10, "BAD_REQUEST"),
                    // The answer has no room for the server's records.
                    error(11, "CONFLICT"),
                ]
                : [
                    #"{"recordName":"\#(name(3))","recordType":"Note","recordChangeTag":"z","fields":{}}"#,
                    error(4, "NOT_FOUND"),
                    error(
                        11, "NOT_FOUND",
                        #","serverRecordDeleted":true,"serverRecord":{"recordName":"\#(name(11))","deleted":true,"#
                            + #""movedTo":"Backstitch.Club"}"#),
                ]
            return .json(#"{"records":[\#(items.joined(separator: ","))]}"#)
        }
        let reply = try await client.send(batch(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
        let names = reply.answers.map { answer in
            switch answer {
            case .done(let tag): "done \(tag ?? "")"
            case .conflict(let record): "conflict \(record?.recordChangeTag ?? "deleted")"
            case .refused: "refused"
            case .held: "held"
            case .unauthorized: "unauthorized"
            case .denied: "denied"
            case .later(let wait): "later \(wait ?? 0)"
            case .moved(let zone): "moved to \(zone)"
            case .parentless: "parentless"
            case .untouched: "untouched"
            }
        }
        #expect(
            names == [
                "done t", "conflict deleted", "conflict z", "conflict deleted", "conflict deleted", "untouched",
                "later 2000", "refused", "later 30000", "refused", "moved to Backstitch.Club",
            ])
        #expect(transport.requests.count == 2)
    }

    @Test("a deletion of what is gone is done")
    func goneAlready() async throws {
        let name = key(1).uuidString
        let (client, _) = try StubTransport.client { _ in
            .json(#"{"records":[{"recordName":"\#(name)","serverErrorCode":"NOT_FOUND","reason":"r"}]}"#)
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

    @Test("bytes of assets may go to the server, to hosts that are listed, and to those below a listed domain")
    func assetHosts() throws {
        let (client, _) = try StubTransport.client([.syncAssetHosts: ["Files.example.net", "*.cdn.example.com"]]) { _ in
            .json("")
        }
        for host in ["example.org", "files.example.net", "a.cdn.example.com", "A.B.CDN.example.com:444"] {
            #expect(client.hostFault(of: "https://\(host)/asset") == nil, "\(host)")
        }
        for host in [
            "evilcdn.example.com", "example.com", "files.example.net.evil.org", "a.files.example.net",
            "evil.org/example.org", "",
        ] {
            #expect(client.hostFault(of: "https://\(host)/asset") != nil, "\(host)")
        }
    }

    @Test("a subscription of our name to another zone says nothing of this one's life")
    func lives() async throws {
        for (zone, life) in [("Backstitch", ZoneLife.marked("m")), ("Other", .unknown)] {
            let (client, _) = try StubTransport.client { request in
                guard request.url.contains("subscriptions/lookup") else { return .json(Self.zones) }
                let kind = #""subscriptionID":"s","subscriptionType":"zone","notificationInfo":{"category":"m"}"#
                return .json(#"{"subscriptions":[{\#(kind),"zoneID":{"zoneName":"\#(zone)"}}]}"#)
            }
            #expect(try await client.life() == life)
        }
    }

    @Test(
        "what lies between us and the server, and has waited too long, makes the next batch smaller",
        arguments: [(408, true), (504, true), (503, false)])
    func gateways(_ status: Int, _ isTimeout: Bool) async throws {
        let (client, _) = try StubTransport.client { _ in .json("<html>", status: status) }
        let failure = await #expect(throws: SyncFailure.self) { _ = try await client.send(batch(1)) }
        #expect(failure?.tookTooLong == isTimeout)
        #expect((client.pace(.batches) != RequestAmount()) == isTimeout)
    }

    @Test("a request that failed for one of its records may say so of each, with a status of its own")
    func atomicFailure() async throws {
        let (client, _) = try StubTransport.client { _ in
            let items = [(1, "ATOMIC_ERROR"), (2, "BAD_REQUEST")].map { number, code in
                #"{"recordName":"\#(key(UInt64(number)).uuidString)","serverErrorCode":"\#(code)","reason":"r"}"#
            }
            return .json(#"{"records":[\#(items.joined(separator: ","))]}"#, status: 400)
        }
        let answers = try await client.send(batch(1, 2)).answers
        guard case .untouched = answers[0], case .refused = answers[1] else {
            Issue.record("the answers are \(answers)")
            return
        }
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
        for library in HTTPLibrary.allCases {
            let transport = try HTTPTransport.$library.withValue(library) { try HTTPTransport() }
            let real = CloudClient(options: client.options, transport: transport)
            let failure = await #expect(throws: SyncFailure.self) { try await real.makeZone() }
            var dumped = ""
            dump(failure, to: &dumped)
            #expect(failure?.kind == .network)
            #expect(!dumped.contains("topsecret"))
        }
    }
}
