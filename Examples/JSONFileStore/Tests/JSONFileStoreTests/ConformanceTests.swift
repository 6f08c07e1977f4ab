import Backstitch
import BackstitchTestKit
import Foundation
import JSONFileStore
import Testing

@Suite("the JSON file store behaves as the kit says")
struct ConformanceTests {
    static let store = StoreUnderTest(
        "JSON file", lacking: [.uniqueConstraints, .derivedAttributes, .migration, .history, .sharing]
    ) { folder in
        PersistentStoreDescription(type: .jsonFile, url: folder.appending(path: "store.json"))
    }

    init() { StoreRegistry.register(JSONFileStore.self) }

    @Test("conforms", arguments: StoreConformance.cases.filter(store.mustShow))
    func conforms(_ conformanceCase: ConformanceCase) async throws {
        try await conformanceCase.run(on: Self.store)
    }
}
