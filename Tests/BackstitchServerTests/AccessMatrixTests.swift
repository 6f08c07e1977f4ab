import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// Every route of the server, called by every kind of caller.
@Suite("who may call what") struct AccessMatrixTests {
    /// The access of each route, as this table says; the server's own table must agree, and neither may have a route
    /// that the other lacks.
    private static let table: [String: ServerRoute.Access] = [
        "zones/list": .publicReading, "zones/lookup": .publicReading, "records/lookup": .publicReading,
        "records/query": .publicReading, "changes/query": .publicReading,
        "zones/changes": .reading, "changes/database": .reading, "changes/zone": .reading, "records/changes": .reading,
        "subscriptions/list": .reading, "subscriptions/lookup": .reading, "users/caller": .reading,
        "users/current": .reading, "users/discover": .reading, "users/lookup/email": .reading,
        "users/lookup/id": .reading, "users/lookup/contacts": .reading, "records/resolve": .reading,
        "records/accept": .changing,
        "assets/upload": .changing, "assets/rereference": .changing, "tokens/create": .changing,
        "tokens/register": .changing, "tokens/unregister": .changing,
        "zones/modify": .changingByItem, "records/modify": .changingByItem, "subscriptions/modify": .changingByItem,
        "assets bytes": .addressed, "assets download": .addressed, "aps": .addressed,
        "auth/oidc": .signingIn, "health": .open, "ready": .open,
    ]

    private enum Caller: String, CaseIterable {
        case withoutAPIToken, nobody, wrongToken, expiredToken, removedUser, stranger
        /// Accounts of the storage. All others call before the owner, who may change everything.
        case account, revokedToken, expiredAccount, removedAccount, apiTokenOfAnotherContainer, administratorsToken
        /// The owner, in a container that is another one.
        case ownerElsewhere
        case reader, owner
        case serverKey, removedKey, expiredKey, keyOfAnotherContainer, forgedKey
    }

    /// Alice has a zone with a record, a subscription, a push token and a public record; each holds the word that no
    /// stranger may read.
    private struct Fixture {
        static let secret = "canary"

        let client: TestClient
        let pushToken: String
        /// All that the server keeps.
        let storage: @Sendable () throws -> [String: Data]
        let signers: [Caller: TestSigner]
        /// Names the share of the zone, to which nobody is invited.
        var share = ""
        /// The tokens of the storage.
        var secrets: [Caller: String] = [:]

        func client(_ caller: Caller) -> TestClient {
            var copy = client
            if let signer = signers[caller] {
                copy.signer = signer
                return copy
            }
            copy.query = caller == .withoutAPIToken ? "" : "ckAPIToken=\(strong("api"))"
            switch caller {
            case .withoutAPIToken, .nobody: break
            case .apiTokenOfAnotherContainer:
                copy.query = "ckAPIToken=\(secrets[caller] ?? "")&ckWebAuthToken=\(strong(Caller.owner.rawValue))"
            case .account, .revokedToken, .expiredAccount, .removedAccount, .administratorsToken:
                copy.query += "&ckWebAuthToken=\(secrets[caller] ?? "")"
            case .ownerElsewhere:
                copy.query += "&ckWebAuthToken=\(strong(Caller.owner.rawValue))"
                copy.container = "iCloud.elsewhere"
            default: copy.query += "&ckWebAuthToken=\(strong(caller.rawValue))"
            }
            return copy
        }

        /// A request that the owner may make.
        func body(_ endpoint: WireEndpoint, for caller: Caller) -> String? {
            let zone = #"{"zoneName":"Z"}"#
            switch endpoint {
            case .zonesList, .zonesChanges, .changesDatabase, .subscriptionsList, .usersCaller, .usersCurrent,
                .usersLookupContacts, .tokensCreate:
                return "{}"
            case .usersDiscover: return #"{"lookupInfos":[{"emailAddress":"alice@example.org"}]}"#
            case .usersLookupEmail: return #"{"users":[{"emailAddress":"alice@example.org"}]}"#
            case .usersLookupID: return #"{"users":[{"userRecordName":"_alice"}]}"#
            case .zonesLookup: return #"{"zones":[\#(zone)]}"#
            case .zonesModify:
                return #"{"operations":[{"operationType":"delete","zone":{"zoneID":{"zoneName":"Spare"}}}]}"#
            case .recordsLookup: return #"{"zoneID":\#(zone),"records":[{"recordName":"r"}]}"#
            case .recordsQuery: return #"{"zoneWide":true,"query":{"recordType":"Item"}}"#
            case .recordsModify:
                let record = #"{"recordName":"r","recordType":"Item","fields":{"title":{"value":"taken"}}}"#
                return #"{"zoneID":\#(zone),"operations":[{"operationType":"forceUpdate","record":\#(record)}]}"#
            case .recordsResolve, .recordsAccept: return #"{"shortGUIDs":[{"value":"\#(share)"}]}"#
            case .changesQuery: return #"{"queries":[{"recordType":"Item"}]}"#
            case .recordsChanges: return #"{"zoneID":\#(zone)}"#
            case .changesZone: return #"{"zones":[{"zoneID":\#(zone)}]}"#
            case .assetsUpload:
                return #"{"zoneID":\#(zone),"tokens":[{"recordName":"r","recordType":"Item","fieldName":"photo"}]}"#
            case .assetsRereference:
                return #"{"zoneID":\#(zone),"assets":[{"recordName":"r","fieldName":"file"}]}"#
            case .subscriptionsLookup: return #"{"subscriptions":[{"subscriptionID":"\#(Self.secret)"}]}"#
            case .subscriptionsModify:
                let subscription = #"{"subscriptionID":"\#(Self.secret)","subscriptionType":"database"}"#
                return #"{"operations":[{"operationType":"delete","subscription":\#(subscription)}]}"#
            case .tokensUnregister: return #"{"clientId":"\#(Self.secret)"}"#
            case .tokensRegister:
                // A user who has a push token may take it; others have none.
                let isAlice = caller == .owner || caller == .reader
                return #"{"apnsToken":"\#(isAlice ? pushToken : "1-AAAA")"}"#
            }
        }

        func call(_ endpoint: WireEndpoint, _ caller: Caller, _ database: String) async throws -> TestAnswer {
            try await client(caller).on(database).raw(endpoint, body(endpoint, for: caller) ?? "{}")
        }
    }

    private func withFixture(
        on kind: StorageKind = .directory, _ body: (Fixture, ZoneServer, VirtualClock) async throws -> Void
    ) async throws {
        let clock = VirtualClock()
        func user(_ name: String, _ caller: Caller, isReadOnly: Bool = false, expires: Date? = nil)
            -> ZoneServerConfiguration.User
        {
            .init(
                userRecordName: name, webAuthToken: strong(caller.rawValue), isReadOnly: isReadOnly, expires: expires)
        }
        let removed = user("_gone", .removedUser)
        let programs: [Caller] = [.serverKey, .removedKey, .expiredKey, .keyOfAnotherContainer, .forgedKey]
        let signers = Dictionary(uniqueKeysWithValues: programs.map { ($0, TestSigner(clock: clock)) })
        func key(_ caller: Caller) throws -> ZoneServerConfiguration.ServerKey {
            try #require(signers[caller]).serverKey("_robot")
        }
        var expired = try key(.expiredKey), foreign = try key(.keyOfAnotherContainer)
        expired.expires = Date(timeIntervalSince1970: Double(clock.milliseconds()) / 1000)
        foreign.containers = ["iCloud.other"]
        let keys = [try key(.serverKey), expired, foreign], removedKey = try key(.removedKey)
        let others = [
            user("_alice", .owner), user("_alice", .reader, isReadOnly: true), user("_eve", .stranger),
            user("_old", .expiredToken, expires: Date(timeIntervalSince1970: Double(clock.milliseconds()) / 1000)),
        ]
        try await kind.withPlace { place in
            let storage = try StoredBytes(place)
            try await withServer({
                $0.storage = place
                $0.clock = clock
                $0.apiTokens = [TokenDigest(of: strong("api"))]
                $0.users = others + [removed]
                $0.serverKeys = keys + [removedKey]
                $0.failedAttemptsPerMinute = 1_000_000
                $0.signInProviders = [SignInProvider(issuer: "http://127.0.0.1:1", clientIDs: ["app"])]
                $0.signInAccounts = TestAccounts()
            }) { client, server in
                var fixture = Fixture(client: client, pushToken: "", storage: storage.all, signers: signers)
                let alice = fixture.client(.owner)
                try await alice.makeZone()
                try await alice.makeZone("Spare")
                let file = try AssetUploadReceipt(wireJSON: try await alice.upload([1, 2, 3]).body).singleFile
                try await alice.save("r", ["title": .string(Fixture.secret), "file": .asset(file)])
                try await alice.on("public").save("r", ["title": .string("news")], zone: nil)
                let subscription = WireSubscription(subscriptionID: Fixture.secret, subscriptionType: .database)
                let _: SubscriptionsResponse = try await alice.call(
                    .subscriptionsModify, SubscriptionsModifyRequest(operations: [.init(.create, subscription)]))
                var share = WireRecord(
                    recordName: WireShare.zoneShareName, recordType: WireShare.recordType,
                    fields: ["cloudkit.title": .string(Fixture.secret)])
                share.share = WireShare()
                let shared = try await alice.modify([RecordOperation(.create, share)])[0].record().share
                let made: PushToken = try await alice.call(.tokensCreate, PushToken())
                fixture = Fixture(
                    client: client, pushToken: try #require(made.apnsToken), storage: storage.all, signers: signers,
                    share: try #require(shared?.shortGUID),
                    secrets: try await accounts(AccountServer(client, server), clock))
                // The first query makes the server's index (``indexes(_:)``); those of this test shall change nothing.
                for database in ["private", "public"] {
                    #expect(try await fixture.call(.recordsQuery, .owner, database).status == 200)
                }
                try await server.setTokens(
                    apiTokens: server.configuration.apiTokens, users: others, serverKeys: keys)
                try await body(fixture, server, clock)
            }
            try storage.close()
        }
    }

    /// Makes accounts and tokens in the storage, and gives the tokens.
    private func accounts(_ accounts: AccountServer, _ clock: VirtualClock) async throws -> [Caller: String] {
        let end = Date(timeIntervalSince1970: Double(clock.milliseconds()) / 1000)
        var secrets: [Caller: String] = [:]
        for caller in [Caller.account, .revokedToken, .expiredAccount, .removedAccount] {
            let (_, made) = try await accounts.user(caller.rawValue) {
                $0.expires = caller == .expiredAccount ? end : nil
            }
            secrets[caller] = made.secret
            if caller == .revokedToken { _ = try await accounts.ask(RevokeToken(.user, id: made.token.id)) }
        }
        _ = try await accounts.ask(RemoveUser(user: Caller.removedAccount.rawValue))
        var api = AddToken(.api)
        api.container = "iCloud.other"
        secrets[.apiTokenOfAnotherContainer] = try await accounts.ask(api).secret
        secrets[.administratorsToken] = try await accounts.ask(AddToken(.administrator)).secret
        return secrets
    }

    @Test("the table of the tests has every route, and says the same of it as the server's")
    func complete() {
        for route in ServerRoute.allCases {
            #expect(Self.table[route.name] == route.access, "\(route.name) is missing here, or is another thing")
        }
        #expect(Set(Self.table.keys) == Set(ServerRoute.allCases.map(\.name)))
        #expect(ServerRoute.allCases.count == WireEndpoint.allCases.count + ServerRoute.Address.allCases.count)
    }

    @Test(
        "an operation of the wire answers those that it is for, and nothing changes for the others",
        arguments: StorageKind.allCases, WireEndpoint.allCases)
    func operations(_ kind: StorageKind, _ endpoint: WireEndpoint) async throws {
        try await withFixture(on: kind) { fixture, _, _ in
            let databases = endpoint.isDevice ? ["private"] : ["private", "public", "shared"]
            // The owner comes last, who may change what the others must not.
            for caller in Caller.allCases.filter({ $0 != .owner }) + [.owner] {
                for database in databases {
                    let before = try fixture.storage()
                    let answer = try await fixture.call(endpoint, caller, database)
                    try check(answer, endpoint, caller, database)
                    if ![.owner, .ownerElsewhere, .stranger, .account, .serverKey].contains(caller) {
                        #expect(
                            try fixture.storage() == before, "\(endpoint) \(caller) \(database) has changed something")
                    }
                }
                guard [.stranger, .ownerElsewhere, .account].contains(caller) else { continue }
                let alice = fixture.client(.owner)
                #expect(try await alice.lookup(["r"])[0].record().fields["title"] == .string(Fixture.secret))
                let list: SubscriptionsResponse = try await alice.call(.subscriptionsList)
                #expect(list.subscriptions.count == 1)
                let zones: ZonesResponse = try await alice.call(.zonesList)
                #expect(zones.zones.count == 3)
            }
        }
    }

    private func check(_ answer: TestAnswer, _ endpoint: WireEndpoint, _ caller: Caller, _ database: String) throws {
        let place: Comment = "\(endpoint) \(caller) \(database): \(answer.status) \(answer.text.prefix(300))"
        let access = Self.table[endpoint.rawValue]
        let code = answer.status == 200 ? nil : try WireError(wireJSON: answer.body).code
        switch caller {
        case .withoutAPIToken, .apiTokenOfAnotherContainer: #expect(code == .authenticationFailed, place)
        case .nobody where access == .publicReading && database == "public": #expect(code == nil, place)
        case .nobody, .wrongToken, .expiredToken, .removedUser, .revokedToken, .expiredAccount, .removedAccount,
            .administratorsToken:
            #expect(code == .authenticationRequired, place)
        case .stranger, .ownerElsewhere, .account:
            // With a token of its own it has the run of its own place.
            #expect(!answer.text.contains(#""value":"\#(Fixture.secret)""#), place)
            #expect(code != .authenticationRequired && code != .internalError, place)
        case .reader:
            switch access {
            case .changing: #expect(code == .accessDenied, place)
            case .changingByItem where database == "private":
                #expect(code == nil && answer.text.contains("ACCESS_DENIED"), place)
            case .changingByItem:
                #expect(code != nil || answer.text.contains("serverErrorCode"), place)
            default: if endpoint.isAt(database) { #expect(code == nil, place) }
            }
        case .owner:
            guard endpoint.isAt(database) else { return }
            #expect(code == nil && !answer.text.contains("serverErrorCode"), place)
        case .serverKey:
            // It has the public database, and nothing that is a user's.
            #expect(!answer.text.contains(#""value":"\#(Fixture.secret)""#), place)
            let isPublic = database == "public" || endpoint.isDevice
            guard isPublic, !endpoint.isAboutUsers else {
                #expect(code == .authenticationFailed, place)
                return
            }
            #expect(code != .authenticationFailed && code != .authenticationRequired && code != .internalError, place)
            if access == .publicReading || endpoint == .subscriptionsList { #expect(code == nil, place) }
        case .removedKey, .expiredKey, .keyOfAnotherContainer, .forgedKey:
            #expect(code == .authenticationFailed, place)
        }
    }

    @Test(
        "a query of one who only reads may make the server's index, and changes nothing else",
        arguments: StorageKind.allCases)
    func indexes(_ kind: StorageKind) async throws {
        try await withFixture(on: kind) { fixture, server, _ in
            let service = try #require(server.state.withLock { $0.service })
            func rows() async throws -> [String: [String]] {
                try await service.storage.read { reading in
                    guard let transaction = reading as? SQLTransaction else { throw TestFailure("another storage") }
                    return try transaction.rowsOfTables()
                }
            }
            for caller in [Caller.reader, .nobody] {
                let before = try await rows()
                let client = fixture.client(caller).on("public")
                let query = RecordQuery(recordType: "Item", sortBy: [QuerySort(caller.rawValue)])
                #expect(try await client.query(query, zone: nil).map(\.recordName) == ["r"])
                let after = try await rows()
                let changed = Set(after.keys.filter { before[$0] != after[$0] })
                // Of a zone that is how many indexes it has had, of the storage how many commits.
                #expect(changed.subtracting(["life"]) == ["query_index", "query_entry"], "\(caller)")
                #expect(before["query_index"]?.count == after["query_index"].map { $0.count - 1 })
            }
        }
    }

    @Test("a sign-in takes an ID token and no other credentials, and nothing changes")
    func signIn() async throws {
        try await withFixture { fixture, _, _ in
            let before = try fixture.storage()
            for caller in Caller.allCases {
                var client = fixture.client(caller)
                client.bearer = strong(caller.rawValue)
                for token in [strong(caller.rawValue), "e30.e30.e30"] {
                    let answer = try await client.raw("/auth/oidc", SignInRequest(idToken: token).wireJSON())
                    #expect(try WireError(wireJSON: answer.body).code == .authenticationFailed, "\(caller)")
                }
            }
            #expect(try fixture.storage() == before)
        }
    }

    @Test("an address that was given out allows what it says, to nobody who has altered it, and for its time")
    func addresses() async throws {
        try await withFixture { fixture, server, clock in
            let alice = fixture.client(.owner)
            func uploadAddress() async throws -> String {
                let question = AssetUploadRequest(
                    zoneID: TestClient.zone, tokens: [.init(recordName: "r", recordType: "Item", fieldName: "photo")])
                let given: AssetUploadResponse = try await alice.call(.assetsUpload, question)
                return given.tokens[0].url
            }
            let upload = try await uploadAddress()
            let part = try await GivenUpload(alice, Array("whole".utf8))
            #expect(try await part.patch("wh".utf8, at: 0).status == 204)
            let sent = try await alice.send(upload, body: Array("bytes".utf8))
            #expect(sent.status == 200)
            let receipt = try AssetUploadReceipt(wireJSON: sent.body)
            try await alice.save(.forceUpdate, "r", ["photo": .asset(receipt.singleFile)])
            guard case .asset(let asset)? = try await alice.lookup(["r"])[0].record().value("photo") else {
                throw TestFailure("no asset")
            }
            let download = try #require(asset.downloadURL)
            let poll = "\(fixture.client.base)/aps?tok=\(fixture.pushToken)&wait=0"
            #expect(try await alice.send(download, method: .GET).status == 200)
            #expect(try await alice.send(poll, method: .GET).status == 200)

            let before = try fixture.storage()
            for place in [3, 20, 40] {
                #expect(try await alice.send(altered(upload, place), body: Array("x".utf8)).status == 404)
                for method in [HTTPMethod.HEAD, .PATCH] {
                    let answer = try await alice.send(
                        altered(part.url, place), method: method, headers: [WireHeader.uploadOffset: "2"], body: [1])
                    #expect(answer.status == 404 && answer.offset == nil)
                }
                #expect(try await alice.send(altered(poll, place), method: .GET).status == 404)
            }
            for place in [2, 9, 17] {
                #expect(try await alice.send(altered(download, place), method: .GET).status == 404)
            }
            #expect(try fixture.storage() == before)

            // Alice goes; what is hers goes with her, but for bytes whose address was given out not long ago.
            let users = server.configuration.users.filter { $0.userRecordName == "_eve" }
            try await server.setTokens(apiTokens: server.configuration.apiTokens, users: users)
            #expect(try await alice.send(upload, body: Array("bytes".utf8)).status == 404)
            #expect(try await alice.send(part.url, method: .HEAD).status == 404)
            #expect(try await part.patch("ole".utf8, at: 2).status == 404)
            #expect(try await alice.send(poll, method: .GET).status == 404)
            #expect(try await alice.send(download, method: .GET).status == 200)
            clock.advance(by: 3601 * 1_000)
            #expect(try await alice.send(download, method: .GET).status == 404)
        }
    }

    /// The address with another character that many before the end of its first parameter's value.
    private func altered(_ address: String, _ place: Int) -> String {
        let name = address.contains("mark=") ? "mark=" : address.contains("ticket=") ? "ticket=" : "tok="
        guard let range = address.range(of: name) else { return address }
        let index = address.index(range.upperBound, offsetBy: place)
        return address.replacingCharacters(in: index...index, with: address[index] == "A" ? "B" : "A")
    }
}

extension WireEndpoint {
    /// The database in which the matrix expects the operation to succeed.
    fileprivate func isAt(_ database: String) -> Bool {
        database == (databases.contains(.private) ? "private" : "public")
    }
}

extension SQLTransaction {
    /// The rows of all tables as texts, but for the count of a zone's indexes.
    fileprivate func rowsOfTables() throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        for table in try connection.describeTables() {
            let columns = table.columns.map(\.name).filter { $0 != "query_indexes" }
            let texts = columns.map { "coalesce(CAST(\(SQLNames.quoted($0)) AS text), '-')" }
            found[table.name] = try all(
                "SELECT \(names: texts.joined(separator: " || '|' || ")) FROM \(names: SQLNames.quoted(table.name))"
            ) { $0.text(0) }.sorted()
        }
        return found
    }
}
