import Backstitch
import BackstitchSQLite
import BackstitchSync
import BackstitchTestKit
import Foundation
import Testing

@Suite("every store behaves as the kit says")
struct ConformanceTests {
    static let stores = [
        StoreUnderTest("SQLite in a file") { folder in
            PersistentStoreDescription(type: .sqlite, url: folder.appending(path: "store.sqlite"))
        },
        StoreUnderTest("SQLite in memory", isDurable: false) { _ in PersistentStoreDescription(type: .sqlite) },
        StoreUnderTest(
            "a synced store, offline",
            lacking: [.inheritance, .derivedAttributes, .requiredValues, .readOnly]
        ) { folder in
            PersistentStoreDescription(
                type: .sync, url: folder.appending(path: "synced"),
                options: [
                    .backingStoreType: "SQLite", .syncServerURL: "http://127.0.0.1:9", .syncAutomatically: false,
                    .syncOnSave: false,
                ])
        },
    ]

    @Test("conforms", arguments: StoreConformance.cases, stores)
    func conforms(_ conformanceCase: ConformanceCase, _ store: StoreUnderTest) async throws {
        try await conformanceCase.run(on: store)
    }
}
