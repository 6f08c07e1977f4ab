import BackstitchPostgreSQL
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A PostgreSQL server of a test's own: made in a temporary folder, reached by a socket in it, and ended with the process that
/// started it, however that ends.
///
/// PostgreSQL refuses to run as root; then the system's user `postgres` runs it.
final class PostgresServer: Sendable {
    /// The folder of data, socket and log.
    let folder: URL

    private let binaries: URL
    private let process = Mutex<Process?>(nil)

    /// The server that most tests share, started when it is first asked for; nil where `BACKSTITCH_TEST_POSTGRES` names another.
    static let shared = Result { try PostgresServer() }

    /// Makes a database cluster and starts the server.
    init() throws {
        binaries = try Self.findBinaries()
        folder = URL(fileURLWithPath: "/tmp/backstitch-postgres-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if getuid() == 0, let user = getpwnam("postgres") {
            guard chown(folder.path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
                throw Failure("chown failed")
            }
        }
        let password = folder.appending(path: "password")
        try Data("secret-of-tests".utf8).write(to: password)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: password.path)
        try run(
            "initdb",
            [
                "-D", data.path, "-U", "backstitch", "-A", "trust", "-E", "UTF8", "--no-locale", "-N", "--pwfile",
                password.path,
            ])
        try configure()
        try start()
    }

    deinit { stop() }

    private var data: URL { folder.appending(path: "data") }

    /// Where the server is, for a store.
    var url: URL { url(database: "postgres") }

    /// Where a database of the server is.
    func url(database: String, user: String = "backstitch", password: String? = nil) -> URL {
        var components = URLComponents()
        components.scheme = "postgres"
        components.user = user
        components.password = password
        components.host = ""
        components.path = "/\(database)"
        components.queryItems = [URLQueryItem(name: "host", value: folder.path)]
        return components.url ?? folder
    }

    /// The server's process.
    var processID: Int32 {
        let text = try? String(contentsOf: data.appending(path: "postmaster.pid"), encoding: .utf8)
        return text?.split(separator: "\n").first.flatMap { Int32($0) } ?? 0
    }

    /// Starts the server, and returns when it answers.
    func start() throws {
        let process = Process()
        let log = folder.appending(path: "log").path
        // The keeper looks whether we are still there, so the server ends with us by whatever means that is.
        let script = """
            exec >/dev/null 2>&1 </dev/null
            '\(binaries.path)/postgres' -D '\(data.path)' >>'\(log)' 2>&1 &
            server=$!
            while kill -0 $server; do
                ps -p \(getpid()) || { kill -INT $server; wait $server; rm -rf '\(folder.path)'; exit; }
                sleep 0.3
            done
            """
        try configure(process, "/bin/sh", ["-c", script])
        try process.run()
        self.process.withLock { $0 = process }
        for _ in 0..<600 {
            if (try? run("pg_isready", ["-h", folder.path, "-q"])) != nil { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw Failure("the server does not start; see \(log)")
    }

    /// Ends the server and removes its folder.
    func stop() {
        end(SIGINT)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Ends the server as a power cut would: at once, without writing anything. It may be started again.
    func crash() { end(SIGQUIT) }

    private func end(_ signal: Int32) {
        let server = processID
        if server > 0 { kill(server, signal) }
        process.withLock { $0?.waitUntilExit() }
    }

    /// Runs statements through `psql`, and gives their output.
    @discardableResult
    func sql(_ text: String) throws -> String {
        try run(
            "psql",
            [
                "-h", folder.path, "-U", "backstitch", "-d", "postgres", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1",
                "-c", text,
            ])
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}

extension PostgresServer {
    private func configure() throws {
        let settings = """

            listen_addresses = ''
            unix_socket_directories = '\(folder.path)'
            max_connections = 300
            fsync = on
            shared_buffers = 64MB
            deadlock_timeout = 100ms
            log_min_messages = warning

            """
        let rules = """
            local all guarded scram-sha-256
            local all all trust

            """
        try run("sh", ["-c", "cat >> '\(data.path)/postgresql.conf' <<'END'\n\(settings)END"], in: "/bin")
        try run("sh", ["-c", "cat > '\(data.path)/pg_hba.conf' <<'END'\n\(rules)END"], in: "/bin")
    }

    @discardableResult
    private func run(_ tool: String, _ arguments: [String], in path: String? = nil) throws -> String {
        let process = Process(), output = Pipe()
        try configure(process, "\(path ?? binaries.path)/\(tool)", arguments)
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("\(tool) failed: \(text)") }
        return text
    }

    private func configure(_ process: Process, _ path: String, _ arguments: [String]) throws {
        process.currentDirectoryURL = folder
        if getuid() == 0 {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            process.arguments = ["--reuid=postgres", "--regid=postgres", "--clear-groups", path] + arguments
        } else {
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
        }
    }

    private static func findBinaries() throws -> URL {
        let folders =
            (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
                .sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }) ?? []
        let others = [
            "/opt/homebrew/opt/postgresql@16/bin", "/usr/local/opt/postgresql@16/bin", "/usr/bin", "/usr/local/bin",
        ]
        for folder in folders + others where FileManager.default.isExecutableFile(atPath: folder + "/initdb") {
            return URL(fileURLWithPath: folder)
        }
        throw Failure("there is no initdb; install PostgreSQL's server (Debian: apt-get install postgresql)")
    }
}
