import Backstitch
import BackstitchSQLite
import BackstitchTestKit
import Testing

@Suite("relationships of many objects", .timeLimit(.minutes(5)))
struct ManyMembersTests {
    @Test("to set a to-many anew takes time in proportion to its members")
    func setting() async throws {
        let container = try PersistentContainer(model: .journal, store: .init(type: .sqlite))
        let (few, many) = try await container.perform { context in
            (try Self.time(ofSetting: 1_000, in: context), try Self.time(ofSetting: 8_000, in: context))
        }
        // Eight times as long, and more on slow memory. A comparison of each with each would take fifty times as long.
        #expect(many / few < 25, "\(few) for a thousand, and \(many) for eight thousand")
        try container.close()
    }

    /// The shortest of several times for giving a place its own entries again.
    private static func time(ofSetting count: Int, in context: ManagedObjectContext) throws -> Duration {
        let place = Location(context: context)
        let entries = Set((0..<count).map { _ in Entry(context: context) })
        place.entries = entries
        let clock = ContinuousClock()
        let times = (0..<5).map { _ in clock.measure { place.entries = entries } }
        try #require(place.entries == entries)
        context.rollback()
        return try #require(times.min())
    }
}
