import BackstitchTestKit
import Foundation

/// The command `backstitch-simulate` as a process of its own: only there is the order of dictionaries the same each
/// time, on which that of a world's steps depends.
struct SimulateProcess {
    let status: Int32
    let output: String

    /// Runs the command that was built along with the tests to its end. Blocks.
    init(_ arguments: [String]) throws {
        let process = Process(), pipe = Pipe()
        process.executableURL = Self.executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    private static var executable: URL { TestProgram.location(of: "backstitch-simulate") }
}
