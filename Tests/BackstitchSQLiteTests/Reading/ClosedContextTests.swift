import Backstitch
import BackstitchSQLite
import BackstitchTestKit
import Testing

@Suite("A context whose work has ended")
struct ClosedContextTests {
    @Test("knows no object that is gone")
    func faults() async throws {
        let container = try PersistentContainer(model: .journal, store: .init(type: .sqlite))
        let context = try await container.perform { Smuggled(context: $0) }.context
        let id = ObjectID(entityName: "Entry", key: ObjectIDGenerator().next())
        for _ in 0..<3 {
            #expect(try context.object(with: id).objectID == id)
            #expect(context.registeredObjectCount == 0 && context._checkInvariants().isEmpty)
        }
        try container.close()
    }
}

/// A context that is taken out of its closure.
private struct Smuggled: @unchecked Sendable {
    let context: ManagedObjectContext
}
