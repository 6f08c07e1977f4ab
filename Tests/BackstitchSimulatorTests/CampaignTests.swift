import BackstitchSimulator
import BackstitchTestKit
import Testing

@Suite("simulated worlds")
struct CampaignTests {
    @Test("worlds end with everything everywhere, and nothing that was promised is lost")
    func campaign() async throws {
        let result = try await onThread { Campaign.run(seeds: 1..<41, threads: 2) { $0.shrink() } }
        for failure in result.failures { Issue.record("\(failure.text)") }
        print("counted: 40 simulated worlds, \(result.steps) steps, \(result.situations.counts.count) situations")
    }

    @Test("the same seed gives the same world, step by step")
    func determinism() async throws {
        let differing = try await onThread {
            (1...10).filter { (seed: UInt64) in
                var plan = WorldPlan(seed: seed)
                plan.shrink()
                return World.run(plan).digest != World.run(plan).digest
            }
        }
        #expect(differing == [], "seeds whose runs differ")
    }
}
