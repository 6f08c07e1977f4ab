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
        try await SyncWorld.run(limits: limits) { world in
            var random = SeededGenerator(seed: seed)
            let devices = try (0..<3).map { _ in
                try world.device(policy: policy, model: UniqueModel.description)
            }
            for _ in 0..<45 {
                let device = devices[Int.random(in: 0..<3, using: &random)]
                if Int.random(in: 0..<3, using: &random) == 0 {
                    await plan(world, &random)
                    do { try await device.sync.sync() } catch is BackstitchError {}
                } else {
                    try await edit(device, seed: random.next())
                }
            }
            await world.faults.clear()
            for _ in 0..<5 { for device in devices { try await device.sync.sync() } }
            let dumps = [try await devices[0].dump(), try await devices[1].dump(), try await devices[2].dump()]
            #expect(dumps[0] == dumps[1], "seed \(seed), \(policy)")
            #expect(dumps[0] == dumps[2], "seed \(seed), \(policy)")
            let fresh = try world.device(policy: policy, model: UniqueModel.description)
            try await fresh.sync.sync()
            #expect(try await fresh.dump() == dumps[0], "seed \(seed), \(policy)")
            for device in devices {
                let status = try await device.sync.status
                #expect(status.pendingCount == 0 && status.blockedCount == 0, "seed \(seed)")
            }
        }
    }

    /// Lets some of the requests that follow go wrong.
    private func plan(_ world: SyncWorld, _ random: inout SeededGenerator) async {
        let generator = Locked(SeededGenerator(seed: random.next()))
        let rate = Int.random(in: 0..<3, using: &random)
        await world.faults.set { _ in
            generator.withLock { random in
                guard Int.random(in: 0..<10, using: &random) < rate else { return nil }
                return Bool.random(using: &random) ? .dropConnection : .dropResponse
            }
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
