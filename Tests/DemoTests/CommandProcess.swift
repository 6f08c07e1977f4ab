import BackstitchTestKit
import Foundation

/// The command `backstitch` as a process of its own.
// Used by one test at a time, which awaits each call before the next.
final class CommandProcess: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()

    /// Starts the command that was built along with the tests, with these variables besides our own.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        process.standardInput = input
        try process.run()
    }

    /// Waits for the end, and gives the exit status and all that the process said.
    func finish() async -> (status: Int32, output: String) { await onThread { self.waitForEnd() } }

    private func waitForEnd() -> (status: Int32, output: String) {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// Reads the output until `text` is in it; nil when the process ends before.
    func waitFor(_ text: String) async -> String? { await onThread { self.read(until: text) } }

    private func read(until text: String) -> String? {
        var said = ""
        while !said.contains(text) {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return nil }
            said += String(decoding: data, as: UTF8.self)
        }
        return said
    }

    /// Ends the process at once, by SIGKILL: nothing of it runs on.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Asks the process to end, and waits for it.
    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Tells the process that its files have changed.
    func hangUp() { Foundation.kill(process.processIdentifier, SIGHUP) }

    var isRunning: Bool { process.isRunning }

    static var executable: URL { TestProgram.location(of: "backstitch") }
}

/// A server process on a free port, and where it is.
struct ServerProcess {
    let process: CommandProcess
    let url: String

    init(storage: URL, environment: [String: String] = [:], arguments: [String] = []) async throws {
        process = try CommandProcess(
            ["serve", "--any-container", "--port", "0", "--storage", storage.path, "--log-level", "error"] + arguments,
            environment: environment)
        let line = await process.waitFor("\n") ?? ""
        url = line.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http://") }.map(String.init) ?? ""
    }
}

/// A folder that goes when the test ends.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "backstitch-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
}

/// Runs what blocks on a thread of its own, so that other tests go on.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
