import Backstitch
import BackstitchSupport
package import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A PostgreSQL server of a test's own. It is made in a temporary folder, reached by a socket in it, and ended with the
/// process that started it, for any end of that.
///
/// PostgreSQL refuses to run as root; then the system's user `postgres` runs it.
package final class PostgresServer: Sendable {
    /// The folder of data, socket and log.
    package let folder: URL

    /// Its port, of the socket's name and of TCP if the settings say so.
    package let port: Int

    private let binaries: URL
    /// How large its small disk is; nil for none.
    private let diskMegabytes: Int?
    private let process = Locked<Process?>(nil)

    /// The server shared by most tests, started at the first use; nil if `BACKSTITCH_TEST_POSTGRES` names another.
    package static let shared = Result { try PostgresServer() }

    /// Makes a database cluster and starts the server.
    ///
    /// - Parameters:
    ///   - diskMegabytes: The size of a file system of its own at ``disk``, in memory; see ``canMount``.
    ///   - prepare: Runs before it starts.
    package init(
        port: Int = 5432, diskMegabytes: Int? = nil, prepare: (PostgresServer) throws -> Void = { _ in }
    ) throws {
        self.port = port
        self.diskMegabytes = diskMegabytes
        binaries = try Self.findBinaries()
        folder = try Self.makeFolder()
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
        try run("mkdir", [disk.path], in: "/bin")
        try prepare(self)
        try start()
        try sql("CREATE ROLE \(guardedUser) LOGIN PASSWORD 'right'")
        try sql("GRANT CREATE ON DATABASE postgres TO \(guardedUser)")
    }

    /// Makes a hot standby of another server by `pg_basebackup`, and starts it. It replays the other server's writes.
    package init(standbyOf primary: PostgresServer) throws {
        port = primary.port
        diskMegabytes = nil
        binaries = primary.binaries
        folder = try Self.makeFolder()
        try run(
            "pg_basebackup",
            [
                "-D", data.path, "-R", "-X", "stream", "-c", "fast", "-h", primary.folder.path, "-p", "\(primary.port)",
                "-U", "backstitch",
            ])
        // Of two settings the later one holds.
        try configure(["unix_socket_directories = '\(folder.path)'"])
        try start()
    }

    deinit { stop() }

    private static func makeFolder() throws -> URL {
        let folder = URL(fileURLWithPath: "/tmp/backstitch-postgres-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard getuid() == 0, let user = getpwnam("postgres") else { return folder }
        guard chown(folder.path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
            throw TestFailure("chown failed")
        }
        return folder
    }

    private var data: URL { folder.appending(path: "data") }

    /// The small disk, which only the server sees.
    package var disk: URL { folder.appending(path: "disk") }

    /// Where the server is, for a store.
    package var url: URL { url(database: "postgres") }

    /// Where a database of the server is.
    package func url(database: String, user: String = "backstitch", password: String? = nil) -> URL {
        var components = URLComponents()
        components.scheme = "postgres"
        components.user = user
        components.password = password
        components.host = ""
        components.path = "/\(database)"
        components.queryItems = [URLQueryItem(name: "host", value: folder.path)]
        return components.url ?? folder
    }

    /// The one user with a password, which is `right`. The user has no special rights except to make schemas.
    package let guardedUser = "guarded"

    /// The server's process.
    package var processID: Int32 {
        let text = try? String(contentsOf: data.appending(path: "postmaster.pid"), encoding: .utf8)
        return text?.split(separator: "\n").first.flatMap { Int32($0) } ?? 0
    }

    /// Starts the server, and returns when it answers.
    package func start() throws {
        let log = folder.appending(path: "log").path
        // The keeper checks whether this process still exists, so the server ends with it in every case.
        let script = """
            exec >/dev/null 2>&1 </dev/null
            '\(binaries.path)/postgres' -D '\(data.path)' >>'\(log)' 2>&1 &
            server=$!
            while kill -0 $server; do
                ps -p \(getpid()) || { kill -INT $server; wait $server; rm -rf '\(folder.path)'; exit; }
                sleep 0.3
            done
            """
        let process = serverProcess(script)
        try process.run()
        self.process.withLock { $0 = process }
        for _ in 0..<600 {
            if (try? run("pg_isready", ["-h", folder.path, "-p", "\(port)", "-q"])) != nil { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw TestFailure("the server does not start; see \(log)")
    }

    /// Ends the server and removes its folder.
    package func stop() {
        end(SIGINT)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Ends the server as a power cut would: at once, without writing anything. It may be started again.
    package func crash() { end(SIGQUIT) }

    private func end(_ signal: Int32) {
        let server = processID
        if server > 0 { kill(server, signal) }
        process.withLock { $0?.waitUntilExit() }
    }

    /// Runs statements through `psql`, and gives their output.
    @discardableResult
    package func sql(_ text: String, in database: String = "postgres") throws -> String {
        try run("psql", psql(database) + ["-c", text])
    }

    /// Runs a file of statements through `psql`, and gives their output.
    @discardableResult
    package func sql(in database: String, file: URL) throws -> String {
        let text = try String(contentsOf: file, encoding: .utf8)
        try write(text, to: "script.sql")
        return try run("psql", psql(database) + ["-f", folder.appending(path: "script.sql").path])
    }

    private func psql(_ database: String) -> [String] {
        [
            "-h", folder.path, "-p", "\(port)", "-U", "backstitch", "-d", database, "-X", "-A", "-t", "-v",
            "ON_ERROR_STOP=1",
        ]
    }
}

extension PostgresServer {
    private func configure() throws {
        let settings = """

            listen_addresses = ''
            port = \(port)
            unix_socket_directories = '\(folder.path)'
            max_connections = 300
            fsync = on
            shared_buffers = 64MB
            deadlock_timeout = 100ms
            log_min_messages = warning

            """
        let rules = """
            local all \(guardedUser) scram-sha-256
            local all all trust
            local replication all trust

            """
        try run("sh", ["-c", "cat >> '\(data.path)/postgresql.conf' <<'END'\n\(settings)END"], in: "/bin")
        try run("sh", ["-c", "cat > '\(data.path)/pg_hba.conf' <<'END'\n\(rules)END"], in: "/bin")
    }

    @discardableResult
    private func run(_ tool: String, _ arguments: [String], in path: String? = nil) throws -> String {
        let process = Process(), output = Pipe()
        process.configureAsServer("\(path ?? binaries.path)/\(tool)", arguments, in: folder)
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw TestFailure("\(tool) failed: \(text)") }
        return text
    }

    /// The keeper and its server. A small disk is mounted for them alone, and is gone when they are.
    private func serverProcess(_ script: String) -> Process {
        let process = Process()
        process.configureAsServer("/bin/sh", ["-c", script], in: folder)
        guard let diskMegabytes, let path = process.executableURL?.path, let arguments = process.arguments else {
            return process
        }
        let mount =
            "mount -t tmpfs -o size=\(diskMegabytes)m,uid=$(id -u postgres),gid=$(id -g postgres),mode=0700 tests '\(disk.path)' && exec \"$0\" \"$@\""
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["-m", "/bin/sh", "-c", mount, path] + arguments
        return process
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
        throw TestFailure("there is no initdb; install PostgreSQL's server (Debian: apt-get install postgresql)")
    }
}

extension PostgresServer {
    /// Whether a file system can be mounted for a process, as root can if the system allows it.
    package static let canMount: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["-m", "/bin/mount", "-t", "tmpfs", "tests", "/mnt"]
        process.standardError = FileHandle.nullDevice
        guard getuid() == 0, (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// A port without a listener just now.
    package static func freePort() throws -> Int { try Listener(at: .port(0)).port }

    /// Adds lines to its settings, which hold from its next start.
    package func configure(_ settings: [String]) throws { try append(settings, to: "data/postgresql.conf") }

    /// Adds rules of who is let in, before the others.
    package func allow(_ rules: [String]) throws {
        let file = data.appending(path: "pg_hba.conf")
        let others = try String(contentsOf: file, encoding: .utf8)
        try write(rules.joined(separator: "\n") + "\n" + others, to: "data/pg_hba.conf")
    }

    /// Writes a file in its folder, as its user.
    package func write(_ text: String, to path: String) throws {
        try run("sh", ["-c", "cat > '\(folder.path)/\(path)' <<'END'\n\(text)END"], in: "/bin")
    }

    private func append(_ lines: [String], to path: String) throws {
        let text = lines.joined(separator: "\n")
        try run("sh", ["-c", "cat >> '\(folder.path)/\(path)' <<'END'\n\(text)\nEND"], in: "/bin")
    }

    /// Runs `openssl` as its user.
    package func openssl(_ arguments: [String]) throws { try run("env", ["openssl"] + arguments, in: "/usr/bin") }

    /// The server's processes, its first one first.
    package func processes() throws -> [Int32] {
        let children = try run("ps", ["-o", "pid=", "--ppid", "\(processID)"], in: "/bin")
        return [processID]
            + children.split(separator: "\n").compactMap { Int32($0.trimmingCharacters(in: .whitespaces)) }
    }
}

extension Process {
    /// Sets the process to be run in a folder by a user who may run servers: PostgreSQL and its like refuse root.
    package func configureAsServer(_ path: String, _ arguments: [String], in folder: URL) {
        currentDirectoryURL = folder
        if getuid() == 0 {
            executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            self.arguments = ["--reuid=postgres", "--regid=postgres", "--clear-groups", path] + arguments
        } else {
            executableURL = URL(fileURLWithPath: path)
            self.arguments = arguments
        }
    }
}
