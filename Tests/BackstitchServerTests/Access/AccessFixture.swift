import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchServer

/// The kinds of callers that there are.
enum AccessCaller: String, CaseIterable {
    case withoutAPIToken, nobody, wrongToken, expiredToken, removedUser, stranger
    /// Accounts of the storage. All others call before the owner, who may change everything.
    case account, revokedToken, expiredAccount, removedAccount, apiTokenOfAnotherContainer, administratorsToken
    /// The owner, in a container that is another one.
    case ownerElsewhere
    case reader, owner
    case serverKey, removedKey, expiredKey, keyOfAnotherContainer, forgedKey
}

/// Alice has a zone with a record, a subscription, a push token and a public record. Each contains the word that
/// strangers must not read.
struct AccessFixture {
    static let secret = "canary"

    let client: TestClient
    let pushToken: String
    /// All that the server keeps.
    let storage: @Sendable () throws -> [String: Data]
    let signers: [AccessCaller: TestSigner]
    /// The identifier of the zone's share. It has no invitations.
    var share = ""
    /// The tokens of the storage.
    var secrets: [AccessCaller: String] = [:]

    func client(_ caller: AccessCaller) -> TestClient {
        var copy = client
        if let signer = signers[caller] {
            copy.signer = signer
            return copy
        }
        copy.query = caller == .withoutAPIToken ? "" : "ckAPIToken=\(strong("api"))"
        switch caller {
        case .withoutAPIToken, .nobody: break
        case .apiTokenOfAnotherContainer:
            copy.query = "ckAPIToken=\(secrets[caller] ?? "")&ckWebAuthToken=\(strong(AccessCaller.owner.rawValue))"
        case .account, .revokedToken, .expiredAccount, .removedAccount, .administratorsToken:
            copy.query += "&ckWebAuthToken=\(secrets[caller] ?? "")"
        case .ownerElsewhere:
            copy.query += "&ckWebAuthToken=\(strong(AccessCaller.owner.rawValue))"
            copy.container = "iCloud.elsewhere"
        default: copy.query += "&ckWebAuthToken=\(strong(caller.rawValue))"
        }
        return copy
    }

    /// A request that the owner may make.
    func body(_ endpoint: WireEndpoint, for caller: AccessCaller) -> String? {
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

    func call(_ endpoint: WireEndpoint, _ caller: AccessCaller, _ database: String) async throws -> TestAnswer {
        try await client(caller).on(database).raw(endpoint, body(endpoint, for: caller) ?? "{}")
    }
}
/// A server with what is Alice's, and callers of all kinds.
func withAccessFixture(
    on kind: StorageKind = .directory, _ body: (AccessFixture, ZoneServer, VirtualClock) async throws -> Void
) async throws {
    let clock = VirtualClock()
    func user(_ name: String, _ caller: AccessCaller, isReadOnly: Bool = false, expires: Date? = nil)
        -> ZoneServerConfiguration.User
    {
        .init(
            userRecordName: name, webAuthToken: strong(caller.rawValue), isReadOnly: isReadOnly, expires: expires)
    }
    let removed = user("_gone", .removedUser)
    let programs: [AccessCaller] = [.serverKey, .removedKey, .expiredKey, .keyOfAnotherContainer, .forgedKey]
    let signers = Dictionary(uniqueKeysWithValues: programs.map { ($0, TestSigner(clock: clock)) })
    func key(_ caller: AccessCaller) throws -> ZoneServerConfiguration.ServerKey {
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
            var fixture = AccessFixture(client: client, pushToken: "", storage: storage.all, signers: signers)
            let alice = fixture.client(.owner)
            try await alice.makeZone()
            try await alice.makeZone("Spare")
            let file = try AssetUploadReceipt(wireJSON: try await alice.upload([1, 2, 3]).body).singleFile
            try await alice.save("r", ["title": .string(AccessFixture.secret), "file": .asset(file)])
            try await alice.on("public").save("r", ["title": .string("news")], zone: nil)
            let subscription = WireSubscription(subscriptionID: AccessFixture.secret, subscriptionType: .database)
            let _: SubscriptionsResponse = try await alice.call(
                .subscriptionsModify, SubscriptionsModifyRequest(operations: [.init(.create, subscription)]))
            var share = WireRecord(
                recordName: WireShare.zoneShareName, recordType: WireShare.recordType,
                fields: ["cloudkit.title": .string(AccessFixture.secret)])
            share.share = WireShare()
            let shared = try await alice.modify([RecordOperation(.create, share)])[0].record().share
            let made: PushToken = try await alice.call(.tokensCreate, PushToken())
            fixture = AccessFixture(
                client: client, pushToken: try #require(made.apnsToken), storage: storage.all, signers: signers,
                share: try #require(shared?.shortGUID),
                secrets: try await accounts(AccountServer(client, server), clock))
            // The first query makes the server's index (``AccessMatrixTests/indexes(_:)``); those of this test shall
            // change nothing.
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
private func accounts(_ accounts: AccountServer, _ clock: VirtualClock) async throws -> [AccessCaller: String] {
    let end = Date(timeIntervalSince1970: Double(clock.milliseconds()) / 1000)
    var secrets: [AccessCaller: String] = [:]
    for caller in [AccessCaller.account, .revokedToken, .expiredAccount, .removedAccount] {
        let (_, made) = try await accounts.user(caller.rawValue) {
            $0.expires = caller == .expiredAccount ? end : nil
        }
        secrets[caller] = made.secret
        if caller == .revokedToken { _ = try await accounts.ask(RevokeToken(.user, id: made.token.id)) }
    }
    _ = try await accounts.ask(RemoveUser(user: AccessCaller.removedAccount.rawValue))
    var api = AddToken(.api)
    api.container = "iCloud.other"
    secrets[.apiTokenOfAnotherContainer] = try await accounts.ask(api).secret
    secrets[.administratorsToken] = try await accounts.ask(AddToken(.administrator)).secret
    return secrets
}
