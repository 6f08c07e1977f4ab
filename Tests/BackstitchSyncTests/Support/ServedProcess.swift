import BackstitchTestKit
import Foundation
import TestSupport

/// `backstitch serve` in a process of its own, which may be killed and started again on the same files.
// Used by one test at a time, which awaits each call before the next.
final class ServedProcess: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    let port: Int

    init(storage: URL) throws {
        let output = Pipe()
        process.executableURL = TestProgram.location(of: "backstitch")
        process.arguments = [
            "serve", "--any-container", "--port", "0", "--storage", storage.path, "--log-level", "critical",
            "--until-input-ends",
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = input
        try process.run()
        var said = ""
        while !said.contains("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw PostgresServer.Failure("the server does not start: \(said)") }
            said += String(decoding: data, as: UTF8.self)
        }
        let url = said.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http://") }
        guard let port = url.flatMap({ URL(string: String($0)) })?.port else {
            throw PostgresServer.Failure("the server does not say where it is: \(said)")
        }
        self.port = port
    }

    /// Ends it at once, by SIGKILL.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
