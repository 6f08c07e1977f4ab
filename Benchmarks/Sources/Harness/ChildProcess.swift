package import Foundation

/// Processes that work for a benchmark.
package enum ChildProcess {
    /// A shell script that runs a command. It ends the command when the script is asked to end, or when this process is
    /// gone.
    ///
    /// - Parameter cleaning: The shell command to run afterwards.
    package static func script(keeping command: String, cleaning: String = ":") -> String {
        """
        exec >/dev/null 2>&1 </dev/null
        \(command) &
        program=$!
        end() { kill -INT $program; kill $program; wait $program; \(cleaning); exit; }
        trap end TERM
        while kill -0 $program; do
            ps -p \(getpid()) || end
            sleep 0.3
        done
        """
    }

    /// Starts this program again, with its own memory and its own processor time.
    ///
    /// - Returns: The process, and its output.
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

    /// Starts this program again, waits for its end, and returns its output.
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
