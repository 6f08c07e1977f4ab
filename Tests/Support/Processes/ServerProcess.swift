import BackstitchTestKit
package import Foundation

/// `backstitch serve` in a process of its own, on a port chosen by the system. It ends with the process that started
/// it, for any end of that.
package struct ServerProcess: Sendable {
    package let process: TestProcess
    package let url: String
    package let port: Int

    /// Starts the server of a folder, and returns when it listens. Blocks.
    ///
    /// - Parameters:
    ///   - storage: The folder of its storage.
    ///   - containers: The arguments that name the served containers.
    ///   - descriptors: The limit of open files and connections; nil for the limit of this process.
    package init(
        storage: URL, containers: [String] = ["--any-container"], _ arguments: [String] = [],
        environment: [String: String] = [:], descriptors: Int? = nil
    ) throws {
        try self.init(
            ["--storage", storage.path] + containers + arguments, environment: environment, descriptors: descriptors)
    }

    /// Starts a server of a PostgreSQL database, which others may serve at the same time. Blocks.
    ///
    /// - Parameter assets: The folder of assets' content, which all of them see.
    package init(database: URL, assets: URL, _ arguments: [String] = []) throws {
        try self.init(
            ["--database", database.absoluteString, "--assets", assets.path, "--any-container"] + arguments)
    }

    /// Starts `serve` with these arguments besides those of all tests.
    package init(
        _ arguments: [String], environment: [String: String] = [:], descriptors: Int? = nil
    ) throws {
        let program = TestProgram.location(of: "backstitch")
        let arguments = ["serve", "--port", "0", "--log-level", "critical", "--until-input-ends"] + arguments
        if let descriptors {
            process = try TestProcess(
                at: URL(filePath: "/bin/sh"),
                ["-c", "ulimit -n \(descriptors); exec \"$0\" \"$@\"", program.path] + arguments,
                environment: environment)
        } else {
            process = try TestProcess(at: program, arguments, environment: environment)
        }
        let line = process.readLine() ?? "nothing, and has ended"
        let address = line.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http://") }
        guard let address, let port = URL(string: String(address))?.port else {
            throw TestFailure("the server says \(line)")
        }
        url = String(address)
        self.port = port
    }
}

extension TestProcess {
    /// The memory of the process in bytes; if the system reports it, the peak.
    package func memory() throws -> Int {
        #if os(Linux)
        let status = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = line.split(separator: " ").compactMap({ Int($0) }).first
        else { throw TestFailure("no VmHWM in \(status)") }
        return kilobytes << 10
        #else
        let said = try TestProcess(at: URL(filePath: "/bin/ps"), ["-o", "rss=", "-p", String(identifier)]).finish()
        guard let kilobytes = Int(said.output.filter(\.isNumber)) else { throw TestFailure("ps says \(said.output)") }
        return kilobytes << 10
        #endif
    }

    #if os(Linux)
    /// How many files and connections the process has open.
    package func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/fd").count
    }
    #endif
}
