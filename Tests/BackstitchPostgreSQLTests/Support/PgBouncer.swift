import Backstitch
import BackstitchSupport
import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A PgBouncer in transaction mode before a server, ended with the process that started it.
final class PgBouncer: Sendable {
    /// The folder of its socket and log.
    let folder: URL
    private let process = Locked<Process?>(nil)

    /// A program built by hand has priority over the system's, which may be old.
    private static let executable = ["/usr/local/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer", "/usr/sbin/pgbouncer"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static var isInstalled: Bool { executable != nil }

    /// Its version: `(1, 18)`.
    static let version: (Int, Int) = {
        let process = Process(), output = Pipe()
        process.executableURL = executable.map { URL(filePath: $0) }
        process.arguments = ["--version"]
        process.standardOutput = output
        guard (try? process.run()) != nil else { return (0, 0) }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = text.split(separator: "\n").first?.split { !$0.isNumber }.compactMap { Int($0) } ?? []
        return numbers.count < 2 ? (0, 0) : (numbers[0], numbers[1])
    }()

    /// Whether it knows prepared statements: since 1.21.
    static var keepsPreparedStatements: Bool { version >= (1, 21) }

    /// Starts one that shares few connections to the server among all of its clients.
    init(before server: PostgresServer, connections: Int) throws {
        folder = URL(fileURLWithPath: "/tmp/backstitch-pooler-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if getuid() == 0, let user = getpwnam("postgres") {
            chown(folder.path, user.pointee.pw_uid, user.pointee.pw_gid)
        }
        let settings = """
            [databases]
            * = host=\(server.folder.path) user=backstitch

            [pgbouncer]
            listen_port = 5432
            unix_socket_dir = \(folder.path)
            auth_type = any
            pool_mode = transaction
            default_pool_size = \(connections)
            max_client_conn = 200
            logfile = \(folder.path)/log
            pidfile = \(folder.path)/pid
            \(Self.keepsPreparedStatements ? "max_prepared_statements = 200" : "")

            """
        let file = folder.appending(path: "settings.ini")
        try Data(settings.utf8).write(to: file)
        let script = """
            exec >/dev/null 2>&1 </dev/null
            '\(Self.executable ?? "pgbouncer")' -q '\(file.path)' &
            bouncer=$!
            while kill -0 $bouncer; do ps -p \(getpid()) || kill -KILL $bouncer; sleep 0.3; done
            rm -rf '\(folder.path)'
            """
        let process = Process()
        process.configureAsServer("/bin/sh", ["-c", script], in: folder)
        try process.run()
        self.process.withLock { $0 = process }
        for _ in 0..<600 {
            if FileManager.default.fileExists(atPath: folder.appending(path: ".s.PGSQL.5432").path) { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw TestFailure("pgbouncer does not start")
    }

    deinit { stop() }

    /// Where a database behind it is.
    var url: URL? { URL(string: "postgres://backstitch@/postgres?host=\(folder.path)") }

    /// Ends it; its clients' connections break. Other signals are blocked in who was started from a thread of the
    /// system's pool.
    func stop() {
        let text = try? String(contentsOf: folder.appending(path: "pid"), encoding: .utf8)
        if let id = text.flatMap({ Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }), id > 0 {
            kill(id, SIGKILL)
        }
        process.withLock { $0?.waitUntilExit() }
    }
}
