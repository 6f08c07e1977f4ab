import Backstitch
import BackstitchSQL
import BackstitchTestKit
import CloudWire
import Crypto
import Foundation
import Logging
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// Several servers on one database honour what one of them has changed.
@Suite("accounts at several servers") struct SharedIdentityTests {
    private func withTwo(
        _ change: @escaping (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (AccountServer, AccountServer, ZoneServerConfiguration.Storage) async throws -> Void
    ) async throws {
        try await StorageKind.postgreSQL.withPlace { place in
            try await withAccounts(at: place, change) { first in
                try await withAccounts(at: place, change) { second in try await body(first, second, place) }
            }
        }
    }

    /// Whether a token is refused. The caller knows that it was honoured before.
    private func isRefused(_ client: TestClient) async throws -> Bool {
        do {
            _ = try await client.call(.usersCurrent, as: UserIdentity.self)
            return false
        } catch let error as WireError where error.code == .authenticationRequired { return true }
    }

    @Test(
        "what one makes the other honours at once, and what one takes back it refuses within the interval",
        arguments: [true, false])
    func revoked(_ usesNotifications: Bool) async throws {
        try await withTwo {
            $0.usesNotifications = usesNotifications
            // So that a notified change is not found by looking.
            $0.peerInterval = usesNotifications ? 3_600 : 0.1
        } _: { first, second, _ in
            if usesNotifications {
                #expect(
                    try await eventually {
                        [first, second].allSatisfy { $0.service.context.push.peers?.isConnected == true }
                    })
            }
            let (_, made) = try await first.user("ada")
            // The very first account of a storage has to be heard of; later ones are looked for.
            #expect(try await eventually { second.service.context.users.stored.hasIdentities })
            let (ada, other) = (second.with(made.secret), try await first.user("bob").token)
            try await ada.makeZone()
            #expect(try await isRefused(second.with(other.secret)) == false)
            let push: PushToken = try await ada.call(.tokensCreate, PushToken())
            async let waiting = ada.send("\(try #require(push.webcourierURL))&wait=60", method: .GET)
            #expect(try await eventually { second.service.context.push.hub.waiting == 1 })

            let start = ContinuousClock.now
            _ = try await first.ask(RevokeToken(.user, id: made.token.id))
            #expect(try await isRefused(first.with(made.secret)))
            #expect(try await eventually { try await isRefused(ada) })
            #expect(ContinuousClock.now - start < .seconds(20))
            #expect(try await waiting.status == 404)
            #expect(try await isRefused(second.with(other.secret)) == false)
            _ = try await first.ask(RemoveUser(user: "bob"))
            #expect(try await eventually { try await isRefused(second.with(other.secret)) })
        }
    }

    @Test("a command changes accounts while servers run, which hear of it")
    func command() async throws {
        try await withTwo {
            $0.peerInterval = 3_600
        } _: { first, second, place in
            #expect(
                try await eventually {
                    [first, second].allSatisfy { $0.service.context.push.peers?.isConnected == true }
                })
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            func ask<Request: AdministrationRequest>(_ request: Request) async throws -> Request.Answer {
                let opened = try await OpenedIdentities(place, logger: logger)
                let answer = try await request.answer(opened.identities)
                try await opened.close()
                return answer
            }
            _ = try await ask(AddUser(alias: "ada"))
            #expect(try await eventually { first.service.context.users.stored.hasIdentities })
            #expect(try await eventually { second.service.context.users.stored.hasIdentities })
            let made = try await ask(AddToken(.user, user: "ada"))
            for server in [first, second] { #expect(try await isRefused(server.with(made.secret)) == false) }
            _ = try await ask(RemoveUser(user: "ada"))
            for server in [first, second] {
                #expect(try await eventually { try await isRefused(server.with(made.secret)) })
            }
        }
    }

    @Test("a signed change is taken by one server, and by none again; also after a restart")
    func signatures() async throws {
        let clock = VirtualClock()
        let path = WireEndpoint.recordsModify.path(
            container: "iCloud.test", environment: "development", database: "public")
        let record = #"{"recordName":"r","recordType":"Item"}"#
        let body = Array(#"{"operations":[{"operationType":"forceUpdate","record":\#(record)}]}"#.utf8)
        let signer = TestSigner(clock: clock)
        let headers = try signer.headers(path, body)
        let upload = WireEndpoint.assetsUpload.path(
            container: "iCloud.test", environment: "development", database: "public")
        let question = Array(#"{"tokens":[{"recordName":"r","recordType":"Item","fieldName":"f"}]}"#.utf8)
        let asked = try signer.headers(upload, question)

        func send(_ server: AccountServer, _ path: String, _ headers: [(String, String)], _ body: [UInt8]) async throws
            -> Int
        {
            try await server.client.send(server.client.base + path, headers: .init(headers), body: body).status
        }
        try await withTwo {
            $0.clock = clock
        } _: { first, second, _ in
            #expect(
                try await eventually {
                    [first, second].allSatisfy { $0.service.context.push.peers?.isConnected == true }
                })
            _ = try await first.ask(AddUser(alias: "robot"))
            _ = try await first.ask(AddServerKey(user: "robot", publicKey: signer.key.publicKey.pemRepresentation))
            #expect(try await eventually { second.service.context.users.stored.hasIdentities })
            for (path, headers, body) in [(path, headers, body), (upload, asked, question)] {
                let headers = headers.map { ($0.name, $0.value) }
                #expect(try await send(first, path, headers, body) == 200)
                for server in [first, second, second] { #expect(try await send(server, path, headers, body) == 401) }
            }
        }
        try await withFolder { folder in
            let headers = headers.map { ($0.name, $0.value) }
            try await withAccounts(at: .directory(folder), { $0.clock = clock }) { server in
                _ = try await server.ask(AddUser(alias: "robot"))
                _ = try await server.ask(
                    AddServerKey(user: "robot", publicKey: signer.key.publicKey.pemRepresentation))
                #expect(try await send(server, path, headers, body) == 200)
            }
            try await withAccounts(at: .directory(folder), { $0.clock = clock }) { server in
                #expect(try await send(server, path, headers, body) == 401)
                // It is forgotten when its date no longer holds.
                clock.advance(by: 1_300_000)
                try await server.server.cleanUp()
                let left = try await server.service.context.storage.read { reading in
                    try reading.one("SELECT count(*) FROM spent_signature") { $0.int(0) }
                }
                #expect(left == 0)
            }
        }
    }
}
