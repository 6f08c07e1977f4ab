import Backstitch
import BackstitchTestKit
import CloudWire
import Crypto
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// Accounts, tokens, keys and containers in the storage.
@Suite("accounts in the storage") struct AccountTests {
    @Test(
        "a user who is made at run time calls under a record name of CloudKit's form, also after a restart",
        arguments: StorageKind.allCases)
    func users(_ kind: StorageKind) async throws {
        try await kind.withPlace { place in
            let secret = try await withAccounts(at: place) { accounts in
                // Without an account, no caller is let in.
                _ = await expectFailure(.authenticationRequired) { try await accounts.client.makeZone() }
                let (name, made) = try await accounts.user("ada")
                #expect(name.wholeMatch(of: /_[0-9a-f]{32}/) != nil)
                let ada = accounts.with(made.secret)
                let identity: UserIdentity = try await ada.call(.usersCurrent)
                #expect(identity.userRecordName == name)
                try await ada.makeZone()
                let record = try await ada.save("r", ["n": .int64(1)])
                #expect(record.created?.userRecordName == name)
                return made.secret
            }
            // The storage alone says that callers need a token.
            try await withServer({ $0.storage = place }) { client, server in
                let accounts = try AccountServer(client, server)
                #expect(try await accounts.with(secret).follow().records.map(\.recordName) == ["r"])
                _ = await expectFailure(.authenticationRequired) { try await client.makeZone() }
                _ = await expectFailure(.authenticationRequired) { try await client.user("ada").makeZone() }
            }
        }
    }

    @Test(
        "a token that is taken back ends alone, with what was made by it; with the last one of a user records stay",
        arguments: StorageKind.allCases)
    func revoked(_ kind: StorageKind) async throws {
        try await withAccounts(on: kind) { accounts in
            let (_, first) = try await accounts.user("ada")
            let second = try await accounts.token("ada") { $0.isReadOnly = true }
            let (_, others) = try await accounts.user("bob")
            let ada = accounts.with(first.secret), display = accounts.with(second.secret)
            try await ada.makeZone()
            try await ada.save("r")
            let push: PushToken = try await ada.call(.tokensCreate, PushToken())
            let poll = try #require(push.webcourierURL)
            let given: AssetUploadResponse = try await ada.call(
                .assetsUpload,
                AssetUploadRequest(
                    zoneID: TestClient.zone, tokens: [.init(recordName: "r", recordType: "Item", fieldName: "f")]))
            let answers = try await display.modify([create("s")])
            #expect(answers[0].error?.code == .accessDenied)

            _ = try await accounts.ask(RevokeToken(.user, id: first.token.id))
            _ = await expectFailure(.authenticationRequired) { try await ada.page() }
            // The other token stays valid, and so does the user's data.
            #expect(try await display.follow().records.map(\.recordName) == ["r"])
            #expect(try await ada.send("\(poll)&wait=0", method: .GET).status == 404)
            #expect(try await ada.send(given.tokens[0].url, body: Array("x".utf8)).status == 404)
            _ = try await accounts.ask(RevokeToken(.user, id: second.token.id))
            _ = await expectFailure(.authenticationRequired) { try await display.page() }
            try await accounts.with(others.secret).makeZone()

            let again = try await accounts.token("ada")
            #expect(try await accounts.with(again.secret).follow().records.map(\.recordName) == ["r"])
            await #expect(throws: IdentityError.self) {
                try await accounts.ask(RevokeToken(.user, id: first.token.id))
            }
            _ = try await accounts.ask(RemoveUser(user: "ada"))
            _ = await expectFailure(.authenticationRequired) { try await accounts.with(again.secret).page() }
        }
    }

    @Test("a token that ends is honoured until then", arguments: StorageKind.allCases)
    func expiry(_ kind: StorageKind) async throws {
        let clock = VirtualClock()
        try await withAccounts(on: kind, { $0.clock = clock }) { accounts in
            let end = Date(timeIntervalSince1970: Double(clock.milliseconds()) / 1000 + 60)
            let (_, made) = try await accounts.user("ada") { $0.expires = end }
            let ada = accounts.with(made.secret)
            try await ada.makeZone()
            let push: PushToken = try await ada.call(.tokensCreate, PushToken())
            let poll = "\(try #require(push.webcourierURL))&wait=0"
            clock.advance(by: 59_000)
            #expect(try await ada.page().records.isEmpty)
            #expect(try await ada.send(poll, method: .GET).status == 200)
            clock.advance(by: 1_000)
            _ = await expectFailure(.authenticationRequired) { try await ada.page() }
            #expect(try await ada.send(poll, method: .GET).status == 404)
            // A day later it is forgotten.
            clock.advance(by: 86_500_000)
            try await accounts.server.cleanUp()
            #expect(try await accounts.ask(ListTokens(.user)).lines.isEmpty)
        }
    }

    @Test("an API token is for its container, and needed as soon as there is one", arguments: StorageKind.allCases)
    func apiTokens(_ kind: StorageKind) async throws {
        try await withAccounts(on: kind) { accounts in
            let (_, made) = try await accounts.user("ada")
            var request = AddToken(.api)
            request.container = "iCloud.test"
            let api = try await accounts.ask(request)
            func client(_ api: String?, _ container: String) -> TestClient {
                var copy = accounts.client.on("public")
                copy.container = container
                copy.query = api.map { "ckAPIToken=\($0)&" } ?? ""
                copy.query += "ckWebAuthToken=\(made.secret)"
                return copy
            }
            try await client(api.secret, "iCloud.test").save("news", zone: nil)
            _ = await expectFailure(.authenticationFailed) {
                try await client(api.secret, "iCloud.other").lookup(["news"], zone: nil)
            }
            _ = await expectFailure(.authenticationFailed) {
                try await client(nil, "iCloud.test").lookup(["news"], zone: nil)
            }
            // Neither kind of token is accepted in place of the other.
            _ = await expectFailure(.authenticationFailed) {
                try await client(made.secret, "iCloud.test").lookup(["news"], zone: nil)
            }
            _ = await expectFailure(.authenticationRequired) { try await accounts.with(api.secret).makeZone() }
            var world = client(api.secret, "iCloud.test")
            world.query = "ckAPIToken=\(api.secret)"
            #expect(try await world.lookup(["news"], zone: nil)[0].error == nil)
            _ = try await accounts.ask(RevokeToken(.api, id: api.token.id))
            _ = await expectFailure(.authenticationRequired) { try await world.lookup(["news"], zone: nil) }
            #expect(try await client(nil, "iCloud.test").lookup(["news"], zone: nil)[0].error == nil)
        }
    }

    @Test("a server-to-server key is an account's; it comes and goes at run time", arguments: StorageKind.allCases)
    func serverKeys(_ kind: StorageKind) async throws {
        let clock = VirtualClock()
        try await withAccounts(on: kind, { $0.clock = clock }) { accounts in
            let signer = TestSigner(clock: clock), robot = accounts.client.signing(signer)
            let account = try await accounts.ask(AddUser(alias: "robot"))
            var request = AddServerKey(user: "robot", publicKey: signer.key.publicKey.pemRepresentation)
            request.containers = ["iCloud.test"]
            let key = try await accounts.ask(request)
            #expect(key.user == account.recordName)
            let made = try await robot.save("r", zone: nil)
            #expect(made.created?.userRecordName == account.recordName)
            var other = robot
            other.container = "iCloud.other"
            _ = await expectFailure(.authenticationFailed) { try await other.lookup(["r"], zone: nil) }
            await #expect(throws: IdentityError.self) { try await accounts.ask(request) }
            _ = try await accounts.ask(RevokeServerKey(id: key.id))
            _ = await expectFailure(.authenticationFailed) { try await robot.lookup(["r"], zone: nil) }
        }
    }

    @Test("failures of others at its address do not lock out a key that is used for the first time")
    func throttledServerKeys() async throws {
        for kind in StorageKind.allCases {
            let clock = VirtualClock()
            try await withAccounts(
                on: kind,
                {
                    $0.clock = clock
                    $0.failedAttemptsPerMinute = 5
                }
            ) { accounts in
                let signer = TestSigner(clock: clock), late = TestSigner(clock: clock)
                _ = try await accounts.ask(AddUser(alias: "robot"))
                func add(_ signer: TestSigner) async throws -> ServerKeyLine {
                    let key = signer.key.publicKey.pemRepresentation
                    return try await accounts.ask(AddServerKey(user: "robot", publicKey: key))
                }
                func stranger() async throws { try await call(TestSigner(clock: clock)) }
                func call(_ signer: TestSigner) async throws {
                    _ = try await accounts.client.signing(signer).lookup(["r"], zone: nil)
                }
                let key = try await add(signer)
                for _ in 0..<5 { _ = await expectFailure(.authenticationFailed, stranger) }
                _ = await expectFailure(.throttled, stranger)
                try await call(signer)
                // A key made during the failures is found a second later at the latest.
                _ = try await add(late)
                clock.advance(by: 1_000)
                try await call(late)
                _ = await expectFailure(.throttled, stranger)
                _ = try await accounts.ask(RevokeServerKey(id: key.id))
                _ = await expectFailure(.authenticationFailed) { try await call(signer) }
                clock.advance(by: 1_000)
                _ = await expectFailure(.throttled) { try await call(signer) }
            }
        }
    }

    @Test("a container that is declared in the storage is served, and no other", arguments: StorageKind.allCases)
    func containers(_ kind: StorageKind) async throws {
        try await withAccounts(on: kind, { $0.containers = nil }) { accounts in
            let (_, made) = try await accounts.user("ada")
            let ada = accounts.with(made.secret)
            _ = await expectFailure(.notFound) { try await ada.makeZone() }
            _ = try await accounts.ask(AddContainer(name: "iCloud.test"))
            try await ada.makeZone()
            var other = ada
            other.container = "iCloud.other"
            _ = await expectFailure(.notFound) { try await other.makeZone() }
            await #expect(throws: IdentityError.self) { try await accounts.ask(AddContainer(name: "iCloud.test")) }
            await #expect(throws: IdentityError.self) { try await accounts.ask(AddContainer(name: "no name")) }
            _ = try await accounts.ask(RemoveContainer(name: "iCloud.test"))
            _ = await expectFailure(.notFound) { try await ada.makeZone() }
        }
    }

    @Test("users find accounts that allow it, by address and record name", arguments: StorageKind.allCases)
    func people(_ kind: StorageKind) async throws {
        try await withAccounts(on: kind) { accounts in
            let (ada, _) = try await accounts.user("ada")
            let (_, bobs) = try await accounts.user("bob")
            var change = SetUser(user: "ada")
            change.emailAddress = "Ada@example.org"
            change.givenName = "Ada"
            _ = try await accounts.ask(change)
            let bob = accounts.with(bobs.secret).on("public")
            func find() async throws -> [DiscoveredUser] {
                var info = UserLookupInfo()
                info.userRecordName = ada
                let answer: UsersResponse = try await bob.call(
                    .usersDiscover, UsersDiscoverRequest(lookupInfos: [.init(emailAddress: "ada@EXAMPLE.org"), info]))
                return answer.users
            }
            #expect(try await find().isEmpty)
            change = SetUser(user: ada)
            change.isDiscoverable = true
            _ = try await accounts.ask(change)
            let found = try await find()
            #expect(found.map(\.userRecordName) == [ada, ada])
            #expect(found.map(\.nameComponents.givenName) == ["Ada", "Ada"])
            #expect(found.map(\.lookupInfo.emailAddress) == ["ada@EXAMPLE.org", nil])
            // A user without a token is found no more.
            for token in try await accounts.ask(ListTokens(.user, user: "ada")).lines {
                _ = try await accounts.ask(RevokeToken(.user, id: token.id))
            }
            #expect(try await find().isEmpty)
        }
    }

    @Test(
        "names, aliases and addresses are each one account's; a record name from before stays",
        arguments: StorageKind.allCases)
    func names(_ kind: StorageKind) async throws {
        try await withAccounts(on: kind) { accounts in
            let old = try await accounts.ask(AddUser(alias: nil, recordName: "ada"))
            #expect(old.recordName == "ada")
            var bob = AddUser(alias: "bob")
            bob.emailAddress = "bob@example.org"
            _ = try await accounts.ask(bob)
            var taken = AddUser(alias: "eve")
            taken.emailAddress = "BOB@example.org"
            let refused = [
                AddUser(alias: "ada"), AddUser(alias: "bob"), AddUser(recordName: "ada"), AddUser(recordName: "bob"),
                taken,
            ]
            for request in refused {
                let error = await #expect(throws: IdentityError.self) { try await accounts.ask(request) }
                #expect(error?.code == .exists)
            }
            let long = String(repeating: "a", count: 256)
            for name in ["", "two words", "_development", "_defaultOwner", "a\u{0}b", long] {
                let error = await #expect(throws: IdentityError.self) {
                    try await accounts.ask(AddUser(recordName: name))
                }
                #expect(error?.code == .invalid, "\(name)")
            }
            for alias in ["", "_ada", "two words", "a\nb"] {
                let error = await #expect(throws: IdentityError.self) { try await accounts.ask(AddUser(alias: alias)) }
                #expect(error?.code == .invalid, "\(alias)")
            }
            for user in ["nobody", "", "a\u{0}b"] {
                let error = await #expect(throws: IdentityError.self) {
                    try await accounts.ask(AddToken(.user, user: user))
                }
                #expect(error?.code == .notFound, "\(user)")
            }
            #expect(try await accounts.ask(ListUsers()).lines.count == 2)
            // In pages.
            let first = try await accounts.ask(ListUsers(limit: 1))
            let second = try await accounts.ask(ListUsers(after: first.next, limit: 1))
            #expect(first.lines.count == 1 && second.lines.count == 1 && second.next == nil)
            #expect(first.lines[0].recordName < second.lines[0].recordName)
        }
    }

    @Test("a user of the configuration and an account of the same name are one user", arguments: StorageKind.allCases)
    func sameName(_ kind: StorageKind) async throws {
        try await withAccounts(
            on: kind,
            {
                $0.users = [.init(userRecordName: "ada", webAuthToken: strong("file"))]
            }
        ) { accounts in
            let file = accounts.with(strong("file"))
            try await file.makeZone()
            _ = try await accounts.ask(AddUser(recordName: "ada"))
            let made = try await accounts.token("ada")
            #expect(try await accounts.with(made.secret).page().records.isEmpty)
            let push: PushToken = try await file.call(.tokensCreate, PushToken())
            let poll = "\(try #require(push.webcourierURL))&wait=0"
            // The file's token is left, and so the user is.
            _ = try await accounts.ask(RevokeToken(.user, id: made.token.id))
            #expect(try await file.send(poll, method: .GET).status == 200)
            try await accounts.server.setTokens(apiTokens: [], users: [])
            #expect(try await file.send(poll, method: .GET).status == 404)
            _ = await expectFailure(.authenticationRequired) { try await file.page() }
        }
    }
}
