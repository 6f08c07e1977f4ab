import Backstitch
import BackstitchSQLite
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("options and rules of the synced store")
struct SyncOptionTests {
    @Test("defaults are as documented")
    func defaults() throws {
        let options = try read([.syncServerURL: "https://example.org"])
        #expect(options.backingType == "SQLite")
        #expect(options.container == "iCloud.backstitch")
        #expect(options.environment == "development")
        #expect(options.zoneName == "Backstitch")
        #expect(options.subscriptions.zone == "Backstitch.Backstitch.private")
        #expect(options.policy == .serverWins)
        #expect(options.syncsOnSave && options.isAutomatic)
        #expect(options.pollInterval == 30_000 && options.requestTimeout == 30_000)
    }

    @Test("the subscriptions of two stores have no name in common, whatever their zones and databases")
    func subscriptionNames() throws {
        let long = String(repeating: "z", count: 254)
        let zones = [
            "Backstitch", "Work", "Work.database", "Work.private", "Work.private.database", "Work.query.1", "private",
            "database", long + "1", long + "2",
        ]
        var owners: [String: String] = [:]
        for database in SyncDatabase.allCases {
            for zone in database == .public ? [nil] : zones.map(Optional.some) {
                var raw: [StoreOption: any Sendable] = [
                    .syncServerURL: "http://a", .syncDatabase: database.rawValue,
                ]
                raw[.syncZoneName] = zone
                let names = try read(raw).subscriptions
                for name in [names.zone, names.database, names.query("1")] {
                    #expect(name.utf8.count <= 255)
                    let owner = "\(database) \(zone ?? "")"
                    #expect(owners.updateValue(owner, forKey: name) == nil, "\(name) of \(owner)")
                }
            }
        }
    }

    @Test("the name of the subscription is the one that is given", .scenario)
    func subscriptionName() async throws {
        let device = try #require(Scenario.current).device(nil, [.syncSubscriptionName: "Mine"])
        try await device.sync.sync()
        let answer = try await device.sync.services.client.call(
            .subscriptionsList, EmptyBody(), as: SubscriptionsResponse.self)
        let names = answer.subscriptions.compactMap {
            if case .subscription(let found) = $0 { found.subscriptionID } else { nil }
        }
        #expect(names == ["Mine"])
        #expect(throws: BackstitchError.self) {
            try read([.syncServerURL: "http://a", .syncSubscriptionName: "no/part"])
        }
    }

    @Test("one dictionary serves the synced store and the store that it wraps")
    func backingOptions() throws {
        _ = try read([.syncServerURL: "https://example.org", .sqliteSynchronous: "NORMAL"])
        #expect(throws: BackstitchError.self) {
            try read([.syncServerURL: "https://example.org", "sqliteSynchronus": "NORMAL"])
        }
    }

    @Test(
        "what is wrong is named",
        arguments: [
            ([:], "syncServerURL"),
            ([.syncServerURL: "ftp://example.org"], "syncServerURL"),
            (
                [.syncServerURL: "http://a", .syncConflictResolutionPolicy: "nobodyWins"],
                "syncConflictResolutionPolicy"
            ),
            ([.syncServerURL: "http://a", .syncZoneName: "_own"], "syncZoneName"),
            ([.syncServerURL: "http://a", .syncContainer: "a/b"], "syncContainer"),
            ([.syncServerURL: "http://a", .syncAutomatically: false, .syncOnSave: true], "syncOnSave"),
            (
                [.syncServerURL: "http://a", .excludedUnchangingAsyncAssetKeys: ["Note.title"]],
                "excludedUnchangingAsyncAssetKeys"
            ),
            ([.syncServerURL: "http://a", .syncPollInterval: 0.01], "syncPollInterval"),
            ([.syncServerURL: "http://a", .syncAuthors: [String]()], "syncAuthors"),
            ([.syncServerURL: "http://a", .syncContextNames: [String]()], "syncContextNames"),
            ([.syncServerURL: "http://a", .syncConflictResolvers: "Note"], "syncConflictResolvers"),
            ([.syncServerURL: "http://a", .syncPublicRights: ["Note": "write"]], "syncPublicRights"),
            (
                [.syncServerURL: "http://a", .syncPublicRights: ["Note": CreatorRights.Rights(mayChangeOthers: true)]],
                "syncPublicRights"
            ),
            (
                [
                    .syncServerURL: "http://a", .syncDatabase: "public",
                    .syncPublicRights: ["Noet": CreatorRights.Rights(mayChangeOthers: true)],
                ], "syncPublicRights"
            ),
            (
                [
                    .syncServerURL: "http://a",
                    .syncConflictResolvers: ["Note.titel": { _ in .policy }] as ConflictResolvers,
                ], "syncConflictResolvers"
            ),
        ] as [([StoreOption: any Sendable], String)])
    func faults(_ raw: [StoreOption: any Sendable], _ key: String) {
        let error = #expect(throws: BackstitchError.self) { try read(raw) }
        #expect(error?.code == .invalidOption)
        #expect(error?.key == key)
    }

    @Test("a type that cannot be synced is no backing type", arguments: ["Sync", "Nowhere"])
    func backing(_ name: String) {
        #expect(throws: BackstitchError.self) { try read([.syncServerURL: "http://a", .backingStoreType: name]) }
    }

    @Test("excluded assets are named alone or with their entity")
    func excluded() throws {
        let options = try read([
            .syncServerURL: "http://a", .excludedUnchangingAsyncAssetKeys: ["photo", "Note.cover"],
        ])
        #expect(options.excludedAssets == ["photo", "Note.cover"])
    }

    @Test("tokens never show")
    func secrets() throws {
        let options = try read([.syncServerURL: "http://a", .syncAPIToken: "topsecret", .syncWebAuthToken: "a+b/c="])
        #expect(!"\(options.credentials)".contains("topsecret"))
        var dumped = ""
        dump(options.credentials, to: &dumped)
        #expect(!dumped.contains("topsecret"))
        #expect(options.credentials.query == "?ckAPIToken=topsecret&ckWebAuthToken=a%2Bb%2Fc%3D")
    }

    @Test("a model whose objects cannot arrive in any order is refused, with every fault by name")
    func modelRules() throws {
        let model = try ResolvedModel(
            ManagedObjectModel([
                EntityDescription(
                    "A", unique: [["given", "mine"]],
                    [
                        .attribute("needed", .string, optional: false),
                        .attribute("given", .string, optional: false, default: ""),
                        .attribute("mine", .string).synced(.none),
                        .toOne("b", "B", inverse: "a", optional: false),
                    ]), EntityDescription("B", [.toMany("a", "A", inverse: "b", delete: .deny)]),
                EntityDescription("C", parent: "B", [.derived("d", .date, from: "now()")]),
                EntityDescription("E", [.toOne("f", "F", inverse: "e"), .attribute("g", .string)])
                    .synced(where: "f.x == 1"),
                EntityDescription(
                    "F",
                    [
                        .attribute("x", .integer64), .attribute("y", .integer64).renamed(from: "x"),
                        .toMany("e", "E", inverse: "f"),
                    ]),
                EntityDescription("G", [.attribute("h", .string)]).synced(where: "nothing == 1"),
            ]))
        let error = #expect(throws: BackstitchError.self) { try model.checkForSync() }
        #expect(error?.code == .invalidModel)
        #expect(error?.faults.compactMap(\.key) == ["A", "A.needed", "A.b", "E", "G"])
        try SyncTestModel.resolved().checkForSync()
    }

    private func read(_ raw: [StoreOption: any Sendable]) throws -> SyncOptions {
        let checked = try StoreOptions(raw, specifications: SyncStore.optionSpecifications(for: raw))
        return try SyncOptions(checked, model: SyncTestModel.resolved())
    }
}
