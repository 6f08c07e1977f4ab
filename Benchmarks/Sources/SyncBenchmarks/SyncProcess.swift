import Backstitch
import BackstitchPostgreSQL
import BackstitchServer
import BackstitchSync
import Foundation
import Harness
import Logging

/// A device or a server as a process of its own, so that each has its own memory and processor time.
enum SyncProcess {
    private static let flag = "--sync-process"

    /// A device's report of its work.
    struct Report: Codable {
        /// Seconds by the clock, and seconds of processor time.
        var wall = 0.0
        var processor = 0.0
        /// The peak memory of the process, in bytes.
        var peak = 0
        /// Milliseconds from each save to the news of it, in rising order.
        var delays: [Double] = []
    }

    /// Lets a device do a task, and waits for its report.
    static func device(_ task: String, _ arguments: [String]) throws -> Report {
        let data = try ChildProcess.output(of: [flag, task] + arguments)
        return try JSONDecoder().decode(Report.self, from: data)
    }

    /// Does the work if the arguments ask for this process. Returns whether they did.
    static func runAsChild(_ arguments: [String]) async throws -> Bool {
        guard arguments.count >= 3, arguments[0] == flag else { return false }
        let task = arguments[1], rest = Array(arguments.dropFirst(2))
        if task == "serve" {
            try await serve(rest[0], database: rest.count > 1 ? rest[1] : nil)
        } else {
            let device = SyncDevice(folder: rest[0], server: rest[1], zone: rest[2], count: Int(rest[3]) ?? 0)
            FileHandle.standardOutput.write(try JSONEncoder().encode(try await device.run(task)))
        }
        return true
    }

    /// Serves until the parent closes this process's input, or is gone.
    ///
    /// - Parameter database: The URL of the PostgreSQL database; nil for SQLite in the folder.
    private static func serve(_ folder: String, database: String?) async throws {
        let folder = URL(fileURLWithPath: folder)
        var configuration = ZoneServerConfiguration(port: 0, storage: .directory(folder))
        // Room for the main zone and a thousand others.
        configuration.userQuotas.zones = 10_000
        if let database {
            guard let url = URL(string: database) else { throw BenchmarkError("\(database) is no URL") }
            configuration.storage = .database(try .postgreSQL(url), assets: folder)
            // Here a few clients play the part of many users' devices.
            configuration.userQuotas.requestsPerSecond = 1_000_000
            configuration.userQuotas.records = 10_000_000
            configuration.connectionsPerAddress = 10_000
        }
        configuration.logger.logLevel = .warning
        let server = try ZoneServer(configuration: configuration)
        FileHandle.standardOutput.write(Data("\(try await server.start().absoluteString)\n".utf8))
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                _ = FileHandle.standardInput.readDataToEndOfFile()
                continuation.resume()
            }
        }
        try await server.stop()
    }

    /// Starts the zone server as a process.
    fileprivate static func startServer(
        _ folder: String, database: String?, input: Pipe
    ) throws -> (Process, FileHandle) {
        try ChildProcess.start([flag, "serve", folder] + (database.map { [$0] } ?? []), input: input)
    }
}

/// The zone server in a process of its own, for the life of this object.
final class SyncServerProcess {
    /// The address of the server.
    let url: String
    private let process: Process
    private let input = Pipe()

    init(_ folder: String, onPostgreSQL: Bool = false) throws {
        let database = try onPostgreSQL ? PostgresServer.shared.get().address : nil
        let (process, output) = try SyncProcess.startServer(folder, database: database, input: input)
        self.process = process
        let line = String(decoding: output.availableData, as: UTF8.self)
        url = line.trimmingCharacters(in: .whitespacesAndNewlines)
        guard url.hasPrefix("http") else { throw BenchmarkError("the zone server does not start: \(line)") }
    }

    /// The server's peak memory, in bytes.
    var peakMemory: Int { get throws { try ProcessMemory.peak(of: "\(process.processIdentifier)") } }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
