import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("users, and who may find them") struct UsersTests {
    /// Ada and Bob can be found; Eve has an address and does not want to; Old's only token has ended.
    private func withUsers(_ body: (TestClient, ZoneServer, VirtualClock) async throws -> Void) async throws {
        typealias User = ZoneServerConfiguration.User
        let clock = VirtualClock()
        var ada = User(userRecordName: "_ada", webAuthToken: strong("ada"))
        ada.nameComponents = UserNameComponents(givenName: "Ada", familyName: "Lovelace")
        ada.emailAddress = "Ada@example.org"
        ada.isDiscoverable = true
        var bob = User(userRecordName: "_bob", webAuthToken: strong("bob"))
        bob.isDiscoverable = true
        let display = User(userRecordName: "_bob", webAuthToken: strong("display"), isReadOnly: true)
        var eve = User(userRecordName: "_eve", webAuthToken: strong("eve"))
        eve.nameComponents.nickname = "E"
        eve.emailAddress = "eve@example.org"
        var old = User(userRecordName: "_old", webAuthToken: strong("old"))
        old.isDiscoverable = true
        old.expires = Date(timeIntervalSince1970: Double(clock.milliseconds()) / 1000 + 60)
        let users = [ada, bob, display, eve, old]
        try await withServer({
            $0.clock = clock
            $0.apiTokens = [TokenDigest(of: strong("api"))]
            $0.users = users
        }) { client, server in
            try await body(client.on("public"), server, clock)
        }
    }

    private func user(_ name: String, _ client: TestClient) -> TestClient {
        var copy = client
        copy.bearer = strong(name)
        return copy
    }

    @Test("who calls is told in both forms, with the name and the address that the server has")
    func caller() async throws {
        try await withUsers { client, _, _ in
            let ada =
                #""userRecordName":"_ada","nameComponents":{"givenName":"Ada","familyName":"Lovelace"},"#
                + #""lookupInfo":{"emailAddress":"Ada@example.org"}"#
            let bob = #""userRecordName":"_bob","nameComponents":{},"lookupInfo":{}"#
            for (name, identity) in [("ada", ada), ("bob", bob), ("display", bob)] {
                #expect(
                    try await user(name, client).raw(.usersCaller, "{}").text
                        == "{\(identity),\"users\":[{\(identity)}]}")
            }
            for database in ["public", "private"] {
                let current = try await user("ada", client).on(database).raw(.usersCurrent, "{}")
                #expect(current.text == #"{"userRecordName":"_ada","firstName":"Ada","lastName":"Lovelace"}"#)
            }
            #expect(try await user("bob", client).raw(.usersCurrent, "{}").text == #"{"userRecordName":"_bob"}"#)
        }
    }

    @Test(
        "a request finds those whom it names and who allow it, and tells of each no more than that and the name",
        arguments: [
            (
                WireEndpoint.usersDiscover, #"{"lookupInfos":[{"emailAddress":"ada@EXAMPLE.org"}]}"#,
                #"{"users":[\#(ada(#""emailAddress":"ada@EXAMPLE.org""#))]}"#
            ),
            (
                .usersDiscover, #"{"lookupInfos":[{"userRecordName":"_bob"},{"userRecordName":"_ada"}]}"#,
                #"{"users":[\#(bob),\#(ada(#""userRecordName":"_ada""#))]}"#
            ),
            (
                .usersLookupEmail, #"{"users":[{"emailAddress":"Ada@example.org"},{"emailAddress":"nobody@b"}]}"#,
                #"{"users":[\#(ada(#""emailAddress":"Ada@example.org""#))]}"#
            ),
            (.usersLookupID, #"{"users":[{"userRecordName":"_bob"}]}"#, #"{"users":[\#(bob)]}"#),
            // The same question is answered once.
            (
                .usersLookupID, #"{"users":[{"userRecordName":"_bob"},{"userRecordName":"_bob"}]}"#,
                #"{"users":[\#(bob)]}"#
            ),
            // A user who does not want to be found is treated like a missing one.
            (.usersDiscover, #"{"lookupInfos":[{"emailAddress":"eve@example.org"}]}"#, #"{"users":[]}"#),
            (.usersLookupID, #"{"users":[{"userRecordName":"_eve"},{"userRecordName":"_none"}]}"#, #"{"users":[]}"#),
            // Each look-up has its kind.
            (.usersLookupID, #"{"users":[{"emailAddress":"ada@example.org"}]}"#, #"{"users":[]}"#),
            (.usersLookupEmail, #"{"users":[{"userRecordName":"_bob"}]}"#, #"{"users":[]}"#),
            (.usersDiscover, #"{"lookupInfos":[{"phoneNumber":"1"},{},{"emailAddress":""}]}"#, #"{"users":[]}"#),
            // There are no address books.
            (.usersDiscover, "{}", #"{"users":[]}"#), (.usersDiscover, "", #"{"users":[]}"#),
            (.usersDiscover, #"{"lookupInfos":null}"#, #"{"users":[]}"#),
            (.usersLookupContacts, "{}", #"{"users":[]}"#),
        ] as [(WireEndpoint, String, String)])
    func find(_ endpoint: WireEndpoint, _ question: String, _ answer: String) async throws {
        try await withUsers { client, _, _ in
            // A token that only reads finds as well.
            let found = try await user("display", client).raw(endpoint, question)
            #expect(found.status == 200 && found.text == answer, "\(found.text)")
        }
    }

    private static func ada(_ lookupInfo: String) -> String {
        #"{"userRecordName":"_ada","nameComponents":{"givenName":"Ada","familyName":"Lovelace"},"#
            + #""lookupInfo":{\#(lookupInfo)}}"#
    }

    private static let bob = #"{"userRecordName":"_bob","nameComponents":{},"lookupInfo":{"userRecordName":"_bob"}}"#

    @Test("who has gone is found no more, and everybody finds oneself")
    func changes() async throws {
        try await withUsers { client, server, clock in
            func find(_ name: String, as caller: String) async throws -> [String] {
                let answer: UsersResponse = try await user(caller, client).call(
                    .usersLookupID, UsersLookupRequest(users: [.init(userRecordName: name)]))
                return answer.users.map(\.userRecordName)
            }
            #expect(try await find("_eve", as: "eve") == ["_eve"])
            #expect(try await find("_old", as: "bob") == ["_old"])
            clock.advance(by: 60_000)
            #expect(try await find("_old", as: "bob").isEmpty)
            #expect(try await find("_ada", as: "bob") == ["_ada"])
            let left = server.configuration.users.filter { $0.userRecordName != "_ada" }
            try await server.setTokens(apiTokens: server.configuration.apiTokens, users: left)
            #expect(try await find("_ada", as: "bob").isEmpty)
        }
    }

    @Test("a request asks for no more users than a request may, and for users only")
    func limits() async throws {
        try await withUsers { client, _, _ in
            let many = (0..<201).map { UserLookupInfo(userRecordName: "_user\($0)") }
            let bob = user("bob", client)
            let error = await expectFailure(.badRequest) {
                try await bob.call(.usersLookupID, UsersLookupRequest(users: many), as: UsersResponse.self)
            }
            #expect(error?.isLimitExceeded == true)
            for body in ["{}", #"{"users":[7]}"#, #"{"users":{}}"#] {
                let answer = try await bob.raw(.usersLookupEmail, body)
                #expect(answer.status == 400, "\(body): \(answer.text)")
            }
        }
    }

    @Test("nobody but a user may ask: the world and server-to-server keys may not")
    func callers() async throws {
        try await withUsers { client, server, clock in
            let signer = TestSigner(clock: clock)
            try await server.setTokens(
                apiTokens: server.configuration.apiTokens, users: server.configuration.users,
                serverKeys: [signer.serverKey("_robot")])
            var world = client
            world.query = "ckAPIToken=\(strong("api"))"
            let users: [WireEndpoint] = [
                .usersCaller, .usersCurrent, .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts,
            ]
            for endpoint in users {
                #expect(try await world.raw(endpoint, "{}").status == 421)
                #expect(try await client.signing(signer).raw(endpoint, "{}").status == 401)
            }
        }
    }

    @Test("in development mode, where anybody may take any name, nobody is found but oneself")
    func development() async throws {
        try await withServer { client, _ in
            let ada = client.user("ada").on("public")
            let infos = ["ada", "bob", "_development"].map { UserLookupInfo(userRecordName: $0) }
            let answer: UsersResponse = try await ada.call(
                .usersDiscover, UsersDiscoverRequest(lookupInfos: infos))
            #expect(answer.users.map(\.userRecordName) == ["ada"])
        }
    }
}
