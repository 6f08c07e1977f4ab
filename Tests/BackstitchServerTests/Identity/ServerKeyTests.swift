import Backstitch
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("server-to-server keys") struct ServerKeyTests {
    /// A server with a user, an API token, and the key of a robot.
    private func withRobot(
        _ change: @escaping (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (_ robot: TestClient, _ signer: TestSigner, ZoneServer, VirtualClock) async throws -> Void
    ) async throws {
        let clock = VirtualClock()
        let signer = TestSigner(clock: clock)
        let key = try signer.serverKey("_robot")
        try await withServer({
            $0.clock = clock
            $0.apiTokens = [TokenDigest(of: strong("api"))]
            $0.users = [.init(userRecordName: "_alice", webAuthToken: strong("alice"))]
            $0.serverKeys = [key]
            change(&$0)
        }) { client, server in try await body(client.signing(signer), signer, server, clock) }
    }

    private func alice(_ client: TestClient) -> TestClient {
        var copy = client
        copy.signer = nil
        copy.bearer = strong("alice")
        return copy
    }

    private static let list = WireEndpoint.zonesList.path(
        container: "iCloud.test", environment: "development", database: "public")
    private static let lookup = WireEndpoint.recordsLookup.path(
        container: "iCloud.test", environment: "development", database: "public")
    private static let modify = WireEndpoint.recordsModify.path(
        container: "iCloud.test", environment: "development", database: "public")

    @Test(
        "signed requests are answered, in each way to sign",
        arguments: [true, false], [("", false), ("ckAPIToken=x", false), ("ckAPIToken=x&a=%20b", true)])
    func variants(_ hashesEmptyBody: Bool, _ query: (text: String, isSigned: Bool)) async throws {
        try await withRobot { robot, signer, _, _ in
            for zone in ["Z", "+00:00", ".5Z"] {
                var copy = robot
                copy.signer?.hashesEmptyBody = hashesEmptyBody
                copy.signer?.signsQuery = query.isSigned
                copy.signer?.zone = zone
                copy.query = query.text
                let answer = try await copy.raw(Self.list, method: .GET)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try await copy.raw(Self.list, Array("{}".utf8)).status == 200)
                #expect(try await copy.raw(Self.list, []).status == 200)
                #expect(try await copy.modify([create("r \(zone)")], zone: nil)[0].error == nil)
            }
            #expect(try await robot.lookup(["r Z", "r .5Z"], zone: nil).allSatisfy { $0.error == nil })
        }
    }

    @Test("what is not signed so, by this key, now and for this place is AUTHENTICATION_FAILED")
    func refused() async throws {
        try await withRobot({ $0.failedAttemptsPerMinute = 1_000 }) { robot, signer, _, _ in
            let body = Array(#"{"records":[{"recordName":"r"}]}"#.utf8)
            let good = try signer.headers(Self.lookup, body)
            func check(_ word: String, _ headers: HTTPHeaders, at path: String? = nil, with text: [UInt8]? = nil)
                async throws
            {
                let answer = try await robot.send(
                    robot.base + (path ?? Self.lookup), headers: headers, body: text ?? body)
                #expect(answer.status == 401, "\(word): \(answer.text)")
                let error = try WireError(wireJSON: answer.body)
                #expect(error.code == .authenticationFailed && error.uuid != nil && error.redirectURL == nil)
            }
            func with(_ name: String, _ value: String?) -> HTTPHeaders {
                var copy = good
                copy.remove(name: name)
                if let value { copy.add(name: name, value: value) }
                return copy
            }
            try await check("another body", good, with: body + [0x20])
            try await check("another path", good, at: Self.list)
            try await check("another date", with(WireHeader.signatureDate, "2026-09-21T14:13:21Z"))
            try await check("no date", with(WireHeader.signatureDate, nil))
            try await check(
                "an old date",
                TestSigner(key: signer.key, clock: signer.clock, ahead: -601)
                    .headers(Self.lookup, body))
            try await check(
                "a future date",
                TestSigner(key: signer.key, clock: signer.clock, ahead: 601)
                    .headers(Self.lookup, body))
            try await check("no signature", with(WireHeader.signature, nil))
            try await check("no key", with(WireHeader.keyID, nil))
            try await check("an unknown key", with(WireHeader.keyID, String(repeating: "0", count: 64)))
            try await check("a name that is none", with(WireHeader.keyID, "robot"))
            try await check(
                "another's signature",
                with(
                    WireHeader.signature,
                    TestSigner(clock: signer.clock).headers(Self.lookup, body)[WireHeader.signature][0]))
            var twice = good
            twice.add(name: WireHeader.keyID, value: good[WireHeader.keyID][0])
            try await check("two keys", twice)
            // A token beside it does not help.
            var both = with(WireHeader.signature, "AAAA")
            both.add(name: "Authorization", value: "Bearer \(strong("alice"))")
            try await check("a token too", both)
            #expect(try await robot.send(robot.base + Self.lookup, headers: good, body: body).status == 200)
        }
    }

    @Test("a key reaches neither what is a user's nor users")
    func places() async throws {
        try await withRobot { robot, _, _, _ in
            for endpoint in WireEndpoint.allCases where !endpoint.isDevice {
                for database in ["public", "private", "shared"] where database != "public" || endpoint.isAboutUsers {
                    let answer = try await robot.on(database).raw(endpoint, "{}")
                    #expect(answer.status == 401, "\(endpoint) \(database): \(answer.text)")
                }
            }
            let withoutDatabase = "/database/1/iCloud.test/development/subscriptions/list"
            #expect(try await robot.raw(withoutDatabase).status == 401)
            // The public database has but one zone.
            #expect(try await robot.raw(.zonesModify, #"{"operations":[]}"#).status == 400)
            let subscriptions: SubscriptionsResponse = try await robot.call(.subscriptionsList)
            #expect(subscriptions.subscriptions.isEmpty)
        }
    }

    @Test("what a key writes bears its name, and it has the rights of a user and of who made a record")
    func roles() async throws {
        try await withRobot({ $0.publicRoles["Notice"] = .init(world: .read, signedIn: [], creator: [.write]) }) {
            robot, _, _, _ in
            let made = try await robot.save("news", ["title": .string("a")], zone: nil)
            #expect(made.created?.userRecordName == "_robot" && made.modified?.userRecordName == "_robot")
            try await robot.save(.forceUpdate, "news", ["title": .string("b")], zone: nil)
            let alice = alice(robot)
            #expect(try await alice.lookup(["news"], zone: nil)[0].record().value("title") == .string("b"))
            #expect(
                try await alice.modify([operation(.forceUpdate, "news")], zone: nil)[0].error?.code == .accessDenied)
            try await alice.save("hers", zone: nil)
            #expect(
                try await robot.modify([operation(.forceDelete, "hers")], zone: nil)[0].error?.code == .accessDenied)
            let notice = operation(.create, "notice", type: "Notice")
            #expect(try await robot.modify([notice], zone: nil)[0].error?.code == .accessDenied)
            let upload: AssetUploadResponse = try await robot.call(
                .assetsUpload, AssetUploadRequest(tokens: [.init(recordName: "news", recordType: nil, fieldName: "f")]))
            let sent = try await robot.send(upload.tokens[0].url, body: Array("bytes".utf8))
            let receipt = try AssetUploadReceipt(wireJSON: sent.body)
            try await robot.save(.forceUpdate, "news", ["f": .asset(receipt.singleFile)], zone: nil)
            let push: PushToken = try await robot.call(.tokensCreate, PushToken())
            let poll = "\(try #require(push.webcourierURL))&wait=0"
            #expect(try await robot.send(poll, method: .GET).status == 200)
        }
    }

    @Test("the same request is taken once when it changes something, and as often as it comes when it reads")
    func replay() async throws {
        try await withRobot { robot, signer, _, clock in
            let record = #"{"recordName":"r","recordType":"Item"}"#
            let change = Array(#"{"operations":[{"operationType":"forceUpdate","record":\#(record)}]}"#.utf8)
            let headers = try signer.headers(Self.modify, change)
            #expect(try await robot.send(robot.base + Self.modify, headers: headers, body: change).status == 200)
            for query in ["", "?a=b"] {
                let answer = try await robot.send(robot.base + Self.modify + query, headers: headers, body: change)
                #expect(answer.status == 401, "\(answer.text)")
            }
            let tag = try await robot.lookup(["r"], zone: nil)[0].record().recordChangeTag
            // Signed anew within the same second, it is another request.
            try await robot.save(.forceUpdate, "r", zone: nil)
            #expect(try await robot.lookup(["r"], zone: nil)[0].record().recordChangeTag != tag)

            let question = Array(#"{"records":[{"recordName":"r"}]}"#.utf8)
            let asked = try signer.headers(Self.lookup, question)
            for _ in 0..<3 {
                #expect(try await robot.send(robot.base + Self.lookup, headers: asked, body: question).status == 200)
            }
            clock.advance(by: 601_000)
            for (path, headers, body) in [(Self.modify, headers, change), (Self.lookup, asked, question)] {
                #expect(try await robot.send(robot.base + path, headers: headers, body: body).status == 401)
            }
        }
    }

    @Test("keys come and go while the server runs; one has an end, or is for some containers")
    func replaced() async throws {
        try await withRobot { robot, signer, server, clock in
            try await robot.save("r", zone: nil)
            let push: PushToken = try await robot.call(.tokensCreate, PushToken())
            let poll = "\(try #require(push.webcourierURL))&wait=0"
            let (tokens, users) = (server.configuration.apiTokens, server.configuration.users)
            try await server.setTokens(apiTokens: tokens, users: users)
            _ = await expectFailure(.authenticationFailed) { try await robot.lookup(["r"], zone: nil) }
            #expect(try await robot.send(poll, method: .GET).status == 404)

            var key = try signer.serverKey("_robot")
            key.expires = Date(timeIntervalSince1970: Double(clock.milliseconds()) / 1000 + 60)
            key.containers = ["iCloud.test"]
            try await server.setTokens(apiTokens: [], users: [], serverKeys: [key])
            #expect(try await robot.lookup(["r"], zone: nil)[0].error == nil)
            var other = robot
            other.container = "iCloud.other"
            _ = await expectFailure(.authenticationFailed) { try await other.lookup(["r"], zone: nil) }
            _ = await expectFailure(.authenticationRequired) { try await alice(robot).lookup(["r"], zone: nil) }
            clock.advance(by: 60_000)
            _ = await expectFailure(.authenticationFailed) { try await robot.lookup(["r"], zone: nil) }
            await #expect(throws: ZoneServerError.self) { try await server.setTokens(apiTokens: [], users: []) }
            await #expect(throws: ZoneServerError.self) {
                try await server.setTokens(apiTokens: [], users: [], serverKeys: [key, key])
            }
        }
    }

    @Test("after too many wrong signatures from one address unknown keys are refused; keys that exist go on")
    func throttled() async throws {
        let late = TestSigner(clock: VirtualClock())
        let lateKey = try late.serverKey("_late")
        try await withRobot({
            $0.failedAttemptsPerMinute = 5
            $0.serverKeys.append(lateKey)
        }) { robot, signer, _, clock in
            _ = try await robot.lookup(["r"], zone: nil)
            for number in 0..<5 {
                // The ID is no secret: in turns, it is sent with a foreign signature, and a made-up ID is sent.
                var headers = try TestSigner(clock: clock).headers(Self.list, [])
                if number % 2 == 0 {
                    headers.replaceOrAdd(name: WireHeader.keyID, value: try signer.serverKey("_robot").keyID)
                }
                #expect(try await robot.send(robot.base + Self.list, method: .GET, headers: headers).status == 401)
            }
            let guess = try TestSigner(clock: clock).headers(Self.list, [])
            #expect(try await robot.send(robot.base + Self.list, method: .GET, headers: guess).status == 429)
            // The server has not seen this key before.
            _ = try await robot.signing(late).lookup(["r"], zone: nil)
            _ = try await robot.lookup(["r"], zone: nil)
            clock.advance(by: 61_000)
            var now = late
            now.clock = clock
            _ = try await robot.signing(now).lookup(["r"], zone: nil)
        }
    }

    @Test("of a request whose key is not known, or whose date does not hold, no body is waited for")
    func unread() async throws {
        try await withRobot { robot, signer, _, clock in
            var stale = signer
            stale.ahead = -3_600
            for signer in [TestSigner(clock: clock), stale] {
                let connection = try RawConnection(robot.base)
                let headers = try signer.headers(Self.modify, []).map { "\($0.name): \($0.value)\r\n" }.joined()
                try await connection.send(
                    "POST \(Self.modify) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 8000000\r\n\(headers)\r\n")
                // The answer comes though not one byte of the body has.
                try await connection.receive()
                connection.end()
            }
        }
    }

    @Test("a server in development mode knows no keys")
    func development() async throws {
        try await withServer { client, _ in
            let robot = client.signing(TestSigner(clock: SystemClock()))
            _ = await expectFailure(.authenticationFailed) { try await robot.lookup(["r"], zone: nil) }
        }
    }
}
