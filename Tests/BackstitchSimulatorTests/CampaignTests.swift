import BackstitchTestKit
import Testing

@Suite("simulated worlds")
struct CampaignTests {
    /// As many as it takes until all situations that are asked for have come about.
    private static let count = 2_000

    @Test(
        "worlds end with everything everywhere, nothing that was promised is lost, and all that shall come about does")
    func campaign() async throws {
        let run = try await onThread { try SimulateProcess(["--seeds", "\(Self.count)", "--small"]) }
        #expect(run.status == 0, "\(run.output)")
        let steps = run.output.split(separator: "\n").first { $0.hasPrefix("\(Self.count) seeds") }
        print("counted: simulated worlds: \(try #require(steps))")
    }

    @Test("the same seed gives the same world, step by step", arguments: 1...10)
    func determinism(seed: Int) async throws {
        let arguments = ["--seed", "\(seed)", "--small"]
        let (first, second) = try await onThread { (try SimulateProcess(arguments), try SimulateProcess(arguments)) }
        #expect(first.output.count > 1_000)
        #expect(first.output == second.output)
    }
}
