import BackstitchSimulator
import BackstitchTestKit
import Testing

@Suite("bugs put in on purpose")
struct PlantedBugTests {
    @Test("each is found within the seeds of a test run", arguments: PlantedBug.allCases)
    func find(_ bug: PlantedBug) async throws {
        let run = try await onThread {
            try SimulateProcess(["--planted-bugs", "--bug", "\(bug)", "--seeds", "300", "--small", "--threads", "1"])
        }
        #expect(run.status == 0, "\(run.output)")
        print("counted: planted bug: \(run.output.split(separator: "\n").first ?? "")")
    }
}
