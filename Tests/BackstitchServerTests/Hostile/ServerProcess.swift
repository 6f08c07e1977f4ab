import Backstitch
import BackstitchTestKit
import Foundation

/// `backstitch serve` as a process of its own, in development mode, so that its memory is seen from outside.
final class ServerProcess: Sendable {
    let url: String
    private let process: Locked<Process>
    private let identifier: Int32

    /// Starts the server with its storage in `folder`, and returns when it listens. Blocks.
    ///
    /// - Parameter descriptors: How many files and connections the process may have open; nil for as many as this one.
    init(storage folder: URL, descriptors: Int? = nil) throws {
        let process = Process(), output = Pipe()
        let program = TestProgram.location(of: "backstitch")
        let arguments = [
            "serve", "--any-container", "--port", "0", "--storage", folder.path, "--log-level", "critical",
        ]
        if let descriptors {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "ulimit -n \(descriptors); exec \"$0\" \"$@\"", program.path] + arguments
        } else {
            process.executableURL = program
            process.arguments = arguments
        }
        process.standardOutput = output
        try process.run()
        var said = ""
        while !said.contains("\n") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw TestFailure("the server ended before it listened") }
            said += String(decoding: data, as: UTF8.self)
        }
        let url = said.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http://") }
        guard let url else { throw TestFailure("the server says \(said)") }
        self.url = String(url)
        identifier = process.processIdentifier
        self.process = Locked(process)
    }

    /// Ends the server, and gives its status.
    func stop() -> Int32 {
        process.withLock { process in
            if process.isRunning { process.terminate() }
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    var isRunning: Bool { process.withLock { $0.isRunning } }

    #if os(Linux)
    /// How many files and connections the process has open.
    func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/fd").count
    }
    #endif

    /// The bytes of memory that the process has now; where the system tells, the most that it ever had.
    func memory() throws -> Int {
        #if os(Linux)
        let status = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = line.split(separator: " ").compactMap({ Int($0) }).first
        else { throw TestFailure("no VmHWM in \(status)") }
        return kilobytes << 10
        #else
        let ps = Process(), output = Pipe()
        ps.executableURL = URL(filePath: "/bin/ps")
        ps.arguments = ["-o", "rss=", "-p", String(identifier)]
        ps.standardOutput = output
        try ps.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard let kilobytes = Int(text.filter(\.isNumber)) else { throw TestFailure("ps says \(text)") }
        return kilobytes << 10
        #endif
    }
}
