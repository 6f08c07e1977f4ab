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
    /// The access of each route, as this table says. The server's own table must agree, and both must have the same
    /// routes.
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
        try await withAccessFixture(on: kind) { fixture, _, _ in
            let databases = endpoint.isDevice ? ["private"] : ["private", "public", "shared"]
            // The owner is last, because the owner may change what the others must not.
            for caller in AccessCaller.allCases.filter({ $0 != .owner }) + [.owner] {
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
                #expect(try await alice.lookup(["r"])[0].record().fields["title"] == .string(AccessFixture.secret))
                let list: SubscriptionsResponse = try await alice.call(.subscriptionsList)
                #expect(list.subscriptions.count == 1)
                let zones: ZonesResponse = try await alice.call(.zonesList)
                #expect(zones.zones.count == 3)
            }
        }
    }

    private func check(_ answer: TestAnswer, _ endpoint: WireEndpoint, _ caller: AccessCaller, _ database: String)
        throws
    {
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
            #expect(!answer.text.contains(#""value":"\#(AccessFixture.secret)""#), place)
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
            #expect(!answer.text.contains(#""value":"\#(AccessFixture.secret)""#), place)
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
        try await withAccessFixture(on: kind) { fixture, server, _ in
            let service = try #require(server.state.withLock { $0.service })
            func rows() async throws -> [String: [String]] {
                try await service.context.storage.write { try $0.rowsOfTables() }
            }
            for caller in [AccessCaller.reader, .nobody] {
                let before = try await rows()
                let client = fixture.client(caller).on("public")
                let query = RecordQuery(recordType: "Item", sortBy: [QuerySort(caller.rawValue)])
                #expect(try await client.query(query, zone: nil).map(\.recordName) == ["r"])
                let after = try await rows()
                let changed = Set(after.keys.filter { before[$0] != after[$0] })
                // The number of indexes of a zone so far, and the number of commits of the storage.
                #expect(changed.subtracting(["life"]) == ["query_index", "query_entry"], "\(caller)")
                #expect(before["query_index"]?.count == after["query_index"].map { $0.count - 1 })
            }
        }
    }

    @Test("a sign-in takes an ID token and no other credentials, and nothing changes")
    func signIn() async throws {
        try await withAccessFixture { fixture, _, _ in
            let before = try fixture.storage()
            for caller in AccessCaller.allCases {
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
        try await withAccessFixture { fixture, server, clock in
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
            func downloadAddress() async throws -> String {
                guard case .asset(let asset)? = try await alice.lookup(["r"])[0].record().value("photo") else {
                    throw TestFailure("no asset")
                }
                return try #require(asset.downloadURL)
            }
            let download = try await downloadAddress()
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

            clock.advance(by: 3601 * 1_000)
            #expect(try await alice.send(download, method: .GET).status == 404)
            let (newUpload, newDownload) = (try await uploadAddress(), try await downloadAddress())
            let newPart = try await GivenUpload(alice, Array("other".utf8))
            #expect(try await newPart.patch("ot".utf8, at: 0).status == 204)
            #expect(try await alice.send(newDownload, method: .GET).status == 200)

            // Alice is removed with all her data. The addresses end with her token.
            let users = server.configuration.users.filter { $0.userRecordName == "_eve" }
            try await server.setTokens(apiTokens: server.configuration.apiTokens, users: users)
            #expect(try await alice.send(newUpload, body: Array("bytes".utf8)).status == 404)
            #expect(try await alice.send(newPart.url, method: .HEAD).status == 404)
            #expect(try await newPart.patch("her".utf8, at: 2).status == 404)
            #expect(try await alice.send(poll, method: .GET).status == 404)
            #expect(try await alice.send(newDownload, method: .GET).status == 404)
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
    /// Whether the matrix expects the operation to succeed in this database.
    fileprivate func isAt(_ database: String) -> Bool {
        database == (databases.contains(.private) ? "private" : "public")
    }
}

extension ZoneTransaction {
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
