import BackstitchSimulator
import BackstitchTestKit
import Testing

@Suite("bugs put in on purpose")
struct PlantedBugTests {
    @Test(
        "each is found within the seeds of a test run",
        arguments: [
            PlantedBug.sequenceCursor, .tokenFirst, .droppedOrphans, .resurrection, .swallowedEdits, .cutCommits,
            .notificationsOnly, .doubledKeys, .forgottenTombstones,
        ])
    func find(_ bug: PlantedBug) async throws {
        let run = try await onThread {
            try SimulateProcess(["--planted-bugs", "--bug", "\(bug)", "--seeds", "200", "--small", "--threads", "1"])
        }
        #expect(run.status == 0, "\(run.output)")
        print("counted: planted bug: \(run.output.split(separator: "\n").first ?? "")")
    }
}
