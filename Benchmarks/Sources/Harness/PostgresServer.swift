package import Foundation
import Synchronization

/// A PostgreSQL server for the benchmarks, in a temporary folder. It has default settings, except for the memory of a
/// small machine. `BACKSTITCH_BENCH_POSTGRES` (a URL) selects another server.
package final class PostgresServer: Sendable {
    /// The address of the server.
    package let url: URL
    private let folder: String
    private let process = Mutex<Process?>(nil)

    package static let shared = Result { try PostgresServer() }

    private init() throws {
        if let text = ProcessInfo.processInfo.environment["BACKSTITCH_BENCH_POSTGRES"], let url = URL(string: text) {
            (self.url, folder) = (url, "")
            return
        }
        let binaries = try Self.binaries()
        folder = "/tmp/backstitch-bench-pg-\(getpid())"
        guard let url = URL(string: "postgres://bench@/postgres?host=\(folder)") else {
            throw BenchmarkError("no URL for \(folder)")
        }
        self.url = url
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if getuid() == 0, let user = getpwnam("postgres") { chown(folder, user.pointee.pw_uid, user.pointee.pw_gid) }
        try run(
            "\(binaries)/initdb", ["-D", "\(folder)/data", "-U", "bench", "-A", "trust", "-E", "UTF8", "--no-locale"])
        try start(binaries)
        try waitUntilReady(binaries)
    }

    /// The same address in the form of the client library's parameters.
    package var address: String { url.absoluteString }

    private func start(_ binaries: String) throws {
        let server =
            "'\(binaries)/postgres' -D '\(folder)/data' -k '\(folder)' -c listen_addresses= -c shared_buffers=256MB "
        let script = ChildProcess.script(
            keeping: "\(server) -c max_wal_size=4GB", cleaning: "rm -rf '\(folder)'")
        let process = Process()
        configure(process, "/bin/sh", ["-c", script])
        try process.run()
        self.process.withLock { $0 = process }
    }

    private func waitUntilReady(_ binaries: String) throws {
        for _ in 0..<600 {
            if (try? run("\(binaries)/pg_isready", ["-h", folder, "-q"])) != nil { return }
            Thread.sleep(forTimeInterval: 0.1)
        }
        throw BenchmarkError("PostgreSQL does not start in \(folder)")
    }

    private func run(_ path: String, _ arguments: [String]) throws {
        let process = Process()
        configure(process, path, arguments)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkError("\(path) failed") }
    }

    /// Prepares a process of PostgreSQL's programs. PostgreSQL refuses to run as root; then the system's user
    /// `postgres` runs it.
    private func configure(_ process: Process, _ path: String, _ arguments: [String]) {
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = FileHandle.nullDevice
        let isRoot = getuid() == 0
        process.executableURL = URL(fileURLWithPath: isRoot ? "/usr/bin/setpriv" : path)
        process.arguments =
            isRoot ? ["--reuid=postgres", "--regid=postgres", "--clear-groups", path] + arguments : arguments
    }

    private static func binaries() throws -> String {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders =
            versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
            + ["/opt/homebrew/opt/postgresql@16/bin", "/usr/local/bin", "/usr/bin"]
        guard let found = folders.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }) else {
            throw BenchmarkError("there is no initdb; install PostgreSQL's server")
        }
        return found
    }
}
