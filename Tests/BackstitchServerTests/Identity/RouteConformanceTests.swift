import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// Every operation in every database by every method, against a table written from the documents.
@Suite("the places of the wire") struct RouteConformanceTests {
    private struct Place {
        /// Each letter a database that has the operation: u public, r private, s shared; - for devices.
        var databases: String
        var get = false
    }

    private static let table: [String: Place] = [
        "zones/list": Place(databases: "urs", get: true), "zones/lookup": Place(databases: "urs"),
        "zones/modify": Place(databases: "rs"), "zones/changes": Place(databases: "rs"),
        "records/modify": Place(databases: "urs"), "records/lookup": Place(databases: "urs"),
        "records/query": Place(databases: "urs"), "records/resolve": Place(databases: "u"),
        "records/accept": Place(databases: "u"),
        "records/changes": Place(databases: "rs"), "changes/database": Place(databases: "rs"),
        "changes/zone": Place(databases: "rs"), "changes/query": Place(databases: "u"),
        "assets/upload": Place(databases: "urs"),
        "assets/rereference": Place(databases: "urs"),
        "subscriptions/list": Place(databases: "urs", get: true), "subscriptions/lookup": Place(databases: "urs"),
        "subscriptions/modify": Place(databases: "urs"), "users/caller": Place(databases: "u", get: true),
        "users/current": Place(databases: "ur", get: true), "users/discover": Place(databases: "u", get: true),
        "users/lookup/email": Place(databases: "u"), "users/lookup/id": Place(databases: "u"),
        "users/lookup/contacts": Place(databases: "u", get: true), "tokens/create": Place(databases: "-"),
        "tokens/register": Place(databases: "-"), "tokens/unregister": Place(databases: "-"),
    ]

    private static let names: [(letter: Character, path: String, name: String)] = [
        ("u", "public", "publicdb"), ("r", "private", "privatedb"), ("s", "shared", "shareddb"),
    ]

    private static let unknownPath = "could not find handler for endpoint"

    /// A body that the operation understands, at least in its purpose.
    private func body(_ endpoint: WireEndpoint) -> String {
        switch endpoint {
        case .zonesList, .zonesChanges, .changesDatabase, .subscriptionsList, .usersCaller, .usersCurrent,
            .usersDiscover, .usersLookupContacts, .tokensCreate:
            "{}"
        case .zonesLookup, .changesZone: #"{"zones":[]}"#
        case .zonesModify, .recordsModify, .subscriptionsModify: #"{"operations":[]}"#
        case .recordsLookup: #"{"zoneID":{"zoneName":"_defaultZone"},"records":[]}"#
        case .recordsQuery: #"{"zoneID":{"zoneName":"_defaultZone"},"query":{"recordType":"Item"}}"#
        case .changesQuery: #"{"queries":[{"recordType":"Item"}]}"#
        case .recordsResolve, .recordsAccept: #"{"shortGUIDs":[]}"#
        case .recordsChanges: #"{"zoneID":{"zoneName":"Z"}}"#
        case .assetsUpload: #"{"tokens":[]}"#
        case .assetsRereference: #"{"assets":[]}"#
        case .subscriptionsLookup: #"{"subscriptions":[]}"#
        case .usersLookupEmail, .usersLookupID: #"{"users":[]}"#
        case .tokensRegister: #"{"apnsToken":"1-AAAA"}"#
        case .tokensUnregister: #"{"clientId":"notes"}"#
        }
    }

    @Test("the table has every operation")
    func complete() {
        #expect(Set(Self.table.keys) == Set(WireEndpoint.allCases.map(\.rawValue)))
    }

    @Test(
        "an operation answers in its databases by its methods, and says which of them is wrong",
        arguments: WireEndpoint.allCases)
    func places(_ endpoint: WireEndpoint) async throws {
        let place = try #require(Self.table[endpoint.rawValue])
        try await withServer { client, _ in
            try await client.makeZone()
            let methods: [HTTPMethod] = [.POST, .GET, .PUT, .DELETE, .PATCH, .HEAD]
            for (letter, database, name) in Self.names {
                for method in methods {
                    let answer = try await client.raw(
                        endpoint.path(container: "iCloud.test", environment: "development", database: database),
                        Array(body(endpoint).utf8), method: method)
                    let call: Comment = "\(endpoint) \(database) \(method): \(answer.status) \(answer.text)"
                    guard method == .POST || method == .GET && place.get else {
                        #expect(answer.status == 400, call)
                        continue
                    }
                    if endpoint == .tokensRegister {
                        #expect(answer.text.contains("apnsToken was not issued by this server"), call)
                    } else if place.databases == "-" || place.databases.contains(letter) {
                        // No zone is shared yet, so the named zones are not found there.
                        let isMissing = database == "shared" && [400, 404].contains(answer.status)
                        let reason = answer.text.contains("not applicable") || answer.text.contains(Self.unknownPath)
                        #expect((answer.status == 200 || isMissing) && !reason, call)
                    } else {
                        #expect(answer.status == 400, call)
                        let error = try WireError(wireJSON: answer.body)
                        #expect(error.code == .badRequest, call)
                        #expect(error.reason == "endpoint not applicable in the database type '\(name)'", call)
                    }
                }
            }
        }
    }

    @Test("what GET asks for POST asks for as well, with an object or with nothing")
    func getAndPost() async throws {
        try await withServer { client, _ in
            try await client.makeZone()
            for endpoint in WireEndpoint.allCases where Self.table[endpoint.rawValue]?.get == true {
                let database = endpoint.databases.contains(.private) ? "private" : "public"
                let path = endpoint.path(container: "iCloud.test", environment: "development", database: database)
                let answer = try await client.raw(path, method: .GET)
                #expect(answer.status == 200)
                for body in ["", "{}", " {\n} ", #"{"later":{"a":[1]},"zones":null}"#] {
                    #expect(try await client.raw(path, Array(body.utf8)).text == answer.text, "\(endpoint) \(body)")
                }
            }
        }
    }

    @Test("subscriptions also have the documented path, which names no database")
    func subscriptions() async throws {
        try await withServer { client, _ in
            let base = "/database/1/iCloud.test/development/subscriptions/"
            let subscription = #"{"subscriptionID":"s","subscriptionType":"database"}"#
            let made = try await client.raw(
                base + "modify",
                Array(#"{"operations":[{"operationType":"create","subscription":\#(subscription)}]}"#.utf8))
            #expect(made.status == 200 && made.text.contains(#""subscriptionID":"s""#))
            let list = try await client.raw(base + "list", method: .GET)
            let named = try await client.raw(.subscriptionsList, "{}")
            #expect(list.text == named.text)
            let found = try await client.raw(
                base + "lookup", Array(#"{"subscriptions":[{"subscriptionID":"s"}]}"#.utf8))
            #expect(found.text == list.text)
            for name in ["create", "lookup/x", ""] {
                #expect(try await client.raw(base + name).text.contains(Self.unknownPath))
            }
        }
    }

    @Test(
        "a path that is none is NOT_FOUND, with the reason that clients know",
        arguments: [
            "/", "/database", "/database/1", "/database/2/iCloud.test/development/private/zones/list",
            "/database/1/iCloud.test/development/private/zones",
            "/database/1/iCloud.test/development/private/zones/list/",
            "/database/1/iCloud.test/development/private/zones/list/more",
            "/database/1/iCloud.test/development/private/Zones/list",
            "/database/1/iCloud.test/development/hidden/zones/list", "/database/1/iCloud.test/development/zones/list",
            "/database/1/iCloud.test/development/public/users/lookup",
            "/database/1/iCloud.test/development/public/users",
            "/database/1/iCloud.test/development/public/users/lookup/phone",
            "/database/1/iCloud.test/development/public/users/lookup/email/x",
            "/database/1/iCloud.test/development/private/tokens/create", "/device/1/iCloud.test/development/zones/list",
            "/device/1/iCloud.test/development/private/tokens/create",
            "/database/1/iCloud.test/development/private/%FF/list",
        ])
    func unknown(_ path: String) async throws {
        try await withServer { client, _ in
            for method in [HTTPMethod.GET, .POST] {
                let answer = try await client.raw(path, method: method)
                #expect(answer.status == 404, "\(path)")
                let error = try WireError(wireJSON: answer.body)
                #expect(error.code == .notFound && error.reason == Self.unknownPath && error.uuid != nil)
            }
        }
    }
}
