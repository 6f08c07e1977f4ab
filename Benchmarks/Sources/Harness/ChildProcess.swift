package import Foundation

/// This program again, as a process of its own: with its own memory and its own processor time.
package enum ChildProcess {
    /// Starts it.
    ///
    /// - Returns: The process, and what it writes.
    package static func start(
        _ arguments: [String], input: Any = FileHandle.nullDevice
    ) throws -> (process: Process, output: FileHandle) {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        return (process, output.fileHandleForReading)
    }

    /// Starts it, and gives what it has written when it has ended.
    ///
    /// - Throws: ``BenchmarkError`` when it fails.
    package static func output(of arguments: [String]) throws -> Data {
        let (process, output) = try start(arguments)
        let data = output.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("the process \(arguments.joined(separator: " ")) failed")
        }
        return data
    }
}
