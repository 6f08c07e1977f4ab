import Foundation
import TestSupport

/// The report that the program `PostgreSQLProbe` prints at its end.
struct ProbeReport: Decodable {
    let increments: [Int]
    let conflicts: Int
}

extension TestProcess {
    /// Starts the program `PostgreSQLProbe`.
    convenience init(probe arguments: [String], _ environment: [String: String]) throws {
        try self.init("PostgreSQLProbe", arguments, environment: environment)
    }

    /// Waits for the end of `PostgreSQLProbe`. Blocks.
    func report() throws -> ProbeReport {
        let outcome = finish()
        guard outcome.status == 0 else { throw TestFailure("the probe ended with status \(outcome.status)") }
        return try JSONDecoder().decode(ProbeReport.self, from: Data(outcome.output.utf8))
    }
}
