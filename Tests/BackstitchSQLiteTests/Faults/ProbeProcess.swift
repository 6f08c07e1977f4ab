import BackstitchTestKit
import Foundation

/// A program of the tests as a process of its own.
final class ProbeProcess {
    private let process = Process()
    private let output = Pipe()

    /// Starts the program that was built along with the tests.
    init(_ arguments: [String], of program: String = "StoreCrashProbe") throws {
        process.executableURL = TestProgram.location(of: program)
        process.arguments = arguments
        // The order of dictionaries decides over some work: let it be the same each time.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        process.standardOutput = output
        try process.run()
    }

    /// Reads lines until `enough` says so; then kills the process at once, by SIGKILL, and gives all lines.
    func killWhen(_ enough: ([Substring]) -> Bool) -> [Substring] {
        var said = Data()
        while true {
            let data = output.fileHandleForReading.availableData
            said.append(data)
            if data.isEmpty || enough(Self.lines(said)) { break }
        }
        kill(process.processIdentifier, SIGKILL)
        said.append(output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        return Self.lines(said)
    }

    /// Waits for the end, and gives the exit status and all lines.
    func finish() -> (status: Int32, lines: [Substring]) {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, Self.lines(data))
    }

    /// Whole lines.
    private static func lines(_ data: Data) -> [Substring] {
        let text = String(decoding: data, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
        return text.hasSuffix("\n") ? lines : lines.dropLast()
    }
}
