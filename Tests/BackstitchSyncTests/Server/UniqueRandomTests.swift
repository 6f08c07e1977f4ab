import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("unique values at random")
struct UniqueRandomTests {
    @Test("whatever three devices make, rename, link and delete, they end equal, each value once", arguments: 0..<12)
    func converge(_ number: UInt64) async throws {
        let seed = SeededGenerator.seed() &+ number
        let policy: ConflictResolutionPolicy = number % 2 == 0 ? .serverWins : .clientWins
        var limits = WireLimits.extended
        if number % 3 == 0 { limits.page = 1 }
        try await Scenario.run(limits: limits) { s in
            var random = SeededGenerator(seed: seed)
            let devices = try (0..<3).map { _ in
                try s.device(policy: policy, model: UniqueModel.description)
            }
            for _ in 0..<45 {
                let device = devices[Int.random(in: 0..<3, using: &random)]
                if Int.random(in: 0..<3, using: &random) == 0 {
                    await s.faults.failAtRandom(3, random.next())
                    do { try await device.sync.sync() } catch is BackstitchError {}
                } else {
                    try await edit(device, seed: random.next())
                }
            }
            await s.faults.clear()
            try await s.settle(rounds: 5, comment: "seed \(seed), \(policy)")
            let fresh = try s.device(policy: policy, model: UniqueModel.description)
            try await fresh.sync.sync()
            #expect(try await fresh.dump() == devices[0].dump(), "seed \(seed), \(policy)")
            try await s.expectNothingUnsent(comment: "seed \(seed)")
        }
    }

    private func edit(_ device: SyncDevice, seed: UInt64) async throws {
        try await device.container.perform { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            var random = SeededGenerator(seed: seed)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let tags = try context.all("Tag").filter { !$0.isDeleted }
                let notes = try context.all("Note").filter { !$0.isDeleted }
                let name = Value.string(["x", "y", "z"][Int.random(in: 0..<3, using: &random)])
                let tag = tags.randomElement(using: &random), note = notes.randomElement(using: &random)
                switch Int.random(in: 0..<10, using: &random) {
                case 0...2: try context.make("Tag", ["name": name])
                case 3: try context.make("Note", ["title": .string("\(random.next() % 100)")])
                case 4: try tag?.setValue(name, forKey: "name")
                case 5: try tag?.setValue(.string("\(random.next() % 100)"), forKey: "color")
                case 6: note?["main"] = tag
                case 7: note?["tags"] = Set(tags.filter { _ in Bool.random(using: &random) })
                case 8: if let tag { context.delete(tag) }
                default: try tag?.setValue(.null, forKey: "name")
                }
            }
            try context.save()
        }
    }
}
