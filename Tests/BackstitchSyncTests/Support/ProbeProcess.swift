import BackstitchTestKit
import Foundation
import TestSupport
import Testing

/// The program `SyncProbe`: a device in a process of its own.
// Used by one test at a time, which awaits each call before the next.
final class ProbeProcess: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()
    private var rest = Data()

    /// Starts the probe that was built along with the tests.
    convenience init(_ world: SyncWorld, folder: URL, zone: String = "Backstitch", server: URL? = nil) throws {
        try self.init(place: folder.path, server: server ?? world.url, zone: zone)
    }

    /// Starts a probe on the store in a folder, or in a database, with further options as `name=text`.
    init(place: String, server: URL, zone: String = "Backstitch", options: [String] = []) throws {
        process.executableURL = Self.executable
        process.arguments = [place, server.absoluteString, zone] + options
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = input
        try process.run()
    }

    var processIdentifier: Int32 { process.processIdentifier }

    /// Sends a line.
    func send(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    /// Sends a line, and gives the one that answers it.
    func ask(_ line: String) async throws -> String {
        try send(line)
        return try #require(try await nextLine(), "the probe has ended")
    }

    /// The next line of the output; nil when the process has ended.
    func nextLine() async throws -> String? { try await onThread { self.readLine() } }

    /// Returns the rest of the output, after the process has ended.
    func remainingLines() async throws -> [String] {
        try await onThread {
            var lines: [String] = []
            while let line = self.readLine() { lines.append(line) }
            return lines
        }
    }

    private func readLine() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = Data(rest[(end + 1)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return nil }
            rest += data
        }
    }

    /// Ends the process at once, by SIGKILL: nothing of it runs on.
    func kill() async throws {
        try await onThread {
            Foundation.kill(self.process.processIdentifier, SIGKILL)
            self.process.waitUntilExit()
        }
    }

    private static var executable: URL { TestProgram.location(of: "SyncProbe") }
}
