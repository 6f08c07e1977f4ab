import Backstitch
import BackstitchSync
import BackstitchTestKit
import TestSupport
import Testing

@Suite("three devices at random", .scenario)
struct RandomConvergenceTests: ScenarioSuite {
    @Test("whatever they do, over a network that fails, they end equal, with nothing unsent (T20)", arguments: 0..<6)
    func converge(_ number: UInt64) async throws {
        let seed = SeededGenerator.seed() &+ number
        let policy: ConflictResolutionPolicy = number % 2 == 0 ? .serverWins : .clientWins
        var random = SeededGenerator(seed: seed)
        let devices = try (0..<3).map { _ in try s.device(nil, policy: policy) }
        for _ in 0..<60 {
            let device = devices[Int.random(in: 0..<3, using: &random)]
            if Int.random(in: 0..<3, using: &random) == 0 {
                try await s.faults.failAtRandom(4, random.next())
                do { try await device.sync.sync() } catch is BackstitchError {}
            } else {
                try await edit(device, seed: random.next())
            }
        }
        try await s.faults.clear()
        try await s.settle(rounds: 3, comment: "seed \(seed), \(policy)")
        #expect(try await s.zone().all().count == devices[0].dump().count, "seed \(seed)")
        try await s.expectNothingUnsent(comment: "seed \(seed)")
    }

    private func edit(_ device: SyncDevice, seed: UInt64) async throws {
        try await device.edit { context in
            var random = SeededGenerator(seed: seed)
            let notes = try context.fetch(FetchRequest<TestNote>())
            let folders = try context.fetch(FetchRequest<TestFolder>()),
                tags = try context.fetch(FetchRequest<TestTag>())
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let text = "\(random.next() % 1_000)"
                let note = notes.filter { !$0.isDeleted }.randomElement(using: &random)
                switch Int.random(in: 0..<12, using: &random) {
                case 0...2: TestNote(context: context).title = text
                case 3: TestFolder(context: context).name = text
                case 4: TestTag(context: context).name = text
                case 5: note?.title = text
                case 6: note?.body = Bool.random(using: &random) ? nil : text
                case 7: note?.folder = folders.filter { !$0.isDeleted }.randomElement(using: &random)
                case 8: note?.tags = Set(tags.filter { !$0.isDeleted && Bool.random(using: &random) })
                case 9: if let note { context.delete(note) }
                case 10: if let tag = tags.randomElement(using: &random) { context.delete(tag) }
                default: if let folder = folders.randomElement(using: &random) { context.delete(folder) }
                }
            }
        }
    }
}
