import BackstitchSimulator
import BackstitchTestKit
import Testing

@Suite("bugs put in on purpose")
struct PlantedBugTests {
    @Test(
        "each is found within the seeds of a test run",
        arguments: [PlantedBug.sequenceCursor, .tokenFirst, .acknowledgeFirst])
    func find(_ bug: PlantedBug) async throws {
        let result = try await onThread {
            Campaign.run(seeds: 1..<201, threads: 1, maximumFailures: 1) { plan in
                plan.shrink()
                bug.plant(in: &plan)
            }
        }
        let failure = try #require(result.failures.first, "\(bug.rawValue): not found in 200 seeds")
        print("counted: planted bug \"\(bug.rawValue)\" found by seed \(failure.report.seed)")
    }
}
