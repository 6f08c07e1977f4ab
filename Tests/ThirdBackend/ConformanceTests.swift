import Backstitch
import BackstitchTestKit
import Foundation
import Testing

@Suite("a third database behaves as the kit says")
struct ConformanceTests {
    private static let store = StoreUnderTest("Marble") { folder in
        PersistentStoreDescription(type: "Marble", url: folder.appending(path: "store.marble"))
    }

    init() { StoreRegistry.register(MarbleStore.self) }

    @Test("conforms", arguments: StoreConformance.cases)
    func conforms(_ conformanceCase: ConformanceCase) async throws {
        try await conformanceCase.run(on: Self.store)
    }
}
