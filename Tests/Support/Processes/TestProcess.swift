import BackstitchTestKit
package import Foundation

/// A program in a process of its own. Its output is read line by line, or as a whole at its end.
///
/// ```swift
/// let probe = try TestProcess("StoreCrashProbe", ["save", file.path])
/// let saves = probe.killWhen { $0.count > 20 }
/// ```
///
/// Methods block until they are done, except the asynchronous ones: they wait on a thread of their own, so that other
/// tests continue.
// Used by one test at a time. The test ends each reading call before the next one. The other calls only read values
// that were set once.
package final class TestProcess: @unchecked Sendable {
    /// The destination of its error output.
    package enum Errors { case inherited, discarded, withOutput }

    /// How it ended, and all that it said.
    package struct Outcome: Sendable {
        package let status: Int32
        package let output: String

        /// The whole lines of the output, without empty ones.
        package var lines: [Substring] { TestProcess.lines(output) }
    }

    /// A variable that makes the order of dictionaries, and everything that depends on it, equal in each process.
    package static let fixedHashing = ["SWIFT_DETERMINISTIC_HASHING": "1"]

    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()
    private var unread = Data()

    /// Starts a program that was built along with the tests, with these variables besides our own.
    package convenience init(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:], errors: Errors = .inherited
    ) throws {
        try self.init(
            at: TestProgram.location(of: program), arguments, environment: environment, errors: errors)
    }

    /// Starts the program in a file.
    package init(
        at file: URL, _ arguments: [String], environment: [String: String] = [:], errors: Errors = .inherited
    ) throws {
        process.executableURL = file
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardInput = input
        switch errors {
        case .inherited: break
        case .discarded: process.standardError = FileHandle.nullDevice
        case .withOutput: process.standardError = output
        }
        try process.run()
    }

    package var identifier: Int32 { process.processIdentifier }

    package var isRunning: Bool { process.isRunning }
}

// Its input and output.
extension TestProcess {
    /// Sends a line.
    package func send(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Sends a line, and gives the one that answers it.
    package func ask(_ line: String) async throws -> String {
        try send(line)
        guard let answer = try await nextLine() else { throw TestFailure("the process has ended") }
        return answer
    }

    /// The next line of the output; nil when the process has ended.
    package func nextLine() async throws -> String? { try await onThread { self.readLine() } }

    /// The lines of the output that were not read, up to the end of the process.
    package func remainingLines() async throws -> [String] {
        try await onThread {
            var lines: [String] = []
            while let line = self.readLine() { lines.append(line) }
            return lines
        }
    }

    /// The next line of the output; nil when the process has ended.
    package func readLine() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread = Data(unread[(end + 1)...]) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard readMore() else { return nil }
        }
    }

    private func readMore() -> Bool {
        let data = output.fileHandleForReading.availableData
        unread += data
        return !data.isEmpty
    }

    private static func lines(_ text: String) -> [Substring] {
        let lines = text.split(separator: "\n")
        return text.hasSuffix("\n") ? lines : lines.dropLast()
    }
}

// Its end.
extension TestProcess {
    /// Waits for the end; what was read before is not in the outcome.
    package func finish() -> Outcome {
        while readMore() {}
        process.waitUntilExit()
        defer { unread = Data() }
        return Outcome(status: process.terminationStatus, output: String(decoding: unread, as: UTF8.self))
    }

    /// Waits for the end on a thread of its own.
    package func ended() async throws -> Outcome { try await onThread { self.finish() } }

    /// Ends the process at once, by SIGKILL: nothing of it runs on.
    package func kill() {
        send(SIGKILL)
        process.waitUntilExit()
    }

    /// Reads lines until `enough` says so; then kills the process, and gives all lines.
    package func killWhen(_ enough: ([Substring]) -> Bool) -> [Substring] {
        while readMore(), !enough(Self.lines(String(decoding: unread, as: UTF8.self))) {}
        send(SIGKILL)
        return finish().lines
    }

    /// Asks the process to end, as a service manager does, and gives its status when it has.
    @discardableResult
    package func stop() -> Int32 {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Sends a signal.
    package func send(_ signal: Int32) { Foundation.kill(process.processIdentifier, signal) }
}
