import BackstitchTestKit
import Foundation
import TestSupport

/// The program `PostgreSQLProbe` as a process of its own.
final class ProbeProcess {
    /// The report that the process prints at its end.
    struct Report: Decodable {
        let increments: [Int]
        let conflicts: Int
    }

    private let process = Process()
    private let output = Pipe()

    /// Starts the program that was built along with the tests.
    init(_ environment: [String: String], _ arguments: [String]) throws {
        process.executableURL = Self.executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        try process.run()
    }

    /// Waits for the end. Blocks.
    func report() throws -> Report {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PostgresServer.Failure("the probe ended with status \(process.terminationStatus)")
        }
        return try JSONDecoder().decode(Report.self, from: data)
    }

    private static var executable: URL { TestProgram.location(of: "PostgreSQLProbe") }
}
