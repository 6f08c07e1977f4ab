import Backstitch
import BackstitchSQLite
import BackstitchSupport
import BackstitchTestKit
import Logging
import Testing

@Suite("changes that a perform closure leaves unsaved")
struct UnsavedChangesTests {
    /// The lines that are logged at the end of a closure.
    private func warnings(_ body: @escaping @Sendable (ManagedObjectContext) throws -> Void) async throws -> [String] {
        let lines = Locked<[String]>([])
        let logger = Logger(label: "test") { _ in LineLog(lines: lines) }
        let container = try PersistentContainer(model: .journal, store: .init(type: .sqlite), logger: logger)
        try? await container.perform(body)
        try container.close()
        return lines.withLock { $0 }
    }

    @Test("are told, unless a save has thrown: the program knows of them")
    func told() async throws {
        let forgotten = try await warnings { context in Entry(context: context).text = "forgotten" }
        #expect(forgotten.count == 1 && forgotten[0].contains("unsaved changes"))
        let refused = try await warnings { context in
            // An entry has no such property, which its next save says.
            Entry(context: context)["nothing"] = 1
            try context.save()
        }
        #expect(refused.isEmpty)
        let saved = try await warnings { context in
            Entry(context: context).text = "saved"
            try context.save()
        }
        #expect(saved.isEmpty)
    }
}
