import ArgumentParser
import BackstitchPostgreSQL
import BackstitchServer
import Foundation
import Logging

/// The options that name the storage, and the way to reach it.
struct AdminDoor: ParsableArguments {
    @Option(help: "The folder of the storage, while no server has it.", completion: .directory)
    var storage: String?

    @Option(
        help: ArgumentHelp(
            "The database of the storage: sqlite:FOLDER while no server has it, or the URL of a PostgreSQL "
                + "database at any time.",
            discussion: "All users of this machine can read a command's options: give the password in PGPASSWORD."))
    var database: String?

    @Option(
        help: ArgumentHelp(
            "The administration of a running server, such as http://127.0.0.1:9090.",
            discussion: """
                It takes an administrator's token from BACKSTITCH_ADMIN_TOKEN or --token-file. Make the first one in \
                the storage itself: `backstitch admin tokens add --administrator --storage FOLDER`.
                """))
    var server: String?

    @Option(help: "The file that has the administrator's token and nothing else.", completion: .file())
    var tokenFile: String?

    func validate() throws {
        guard [storage, database, server].compactMap(\.self).count == 1 else {
            throw ValidationError(
                "name the storage: --storage FOLDER, --database URL, or --server http://127.0.0.1:9090")
        }
        guard tokenFile == nil || server != nil else {
            throw ValidationError("--token-file is for --server; give --server too")
        }
    }

    /// Runs `body` with an administrator of the storage.
    ///
    /// - Throws: `ExitCode` after a message on the standard error, for faults that the user can repair.
    func withAdministrator<Value>(_ body: (any Administrator) async throws -> Value) async throws -> Value {
        do {
            if let server { return try await body(try RemoteAdministrator(server, token: token())) }
            let local = try await LocalAdministrator(place())
            let result: Value
            do { result = try await body(local) } catch {
                try await local.close()
                throw error
            }
            try await local.close()
            return result
        } catch let error as IdentityError {
            throw Self.failure(error.message)
        } catch let error as ZoneServerError {
            let hint =
                error.code == .storageUnavailable
                ? "; while a server has the folder, ask the server: --server http://127.0.0.1:9090" : ""
            throw Self.failure("\(error)\(hint)")
        }
    }

    /// Writes a message to the standard error, and returns the exit code of a failure.
    static func failure(_ message: String) -> ExitCode {
        FileHandle.standardError.write(Data("backstitch: \(message)\n".utf8))
        return .failure
    }

    /// The storage that the options name.
    private func place() throws -> ZoneServerConfiguration.Storage {
        if let storage { return .directory(URL(filePath: storage)) }
        let database = database ?? ""
        if let folder = database.wholeMatch(of: /sqlite:(.+)/)?.output.1 {
            return .directory(URL(filePath: String(folder)))
        }
        guard database.hasPrefix("postgres://") || database.hasPrefix("postgresql://"), let url = URL(string: database)
        else {
            throw ValidationError("--database takes sqlite:FOLDER or a URL such as postgres://user@host/database")
        }
        return .database(try .postgreSQL(url))
    }

    /// The administrator's token, from the file of `--token-file` or from the environment.
    private func token() throws -> String {
        let environment = ProcessInfo.processInfo.environment["BACKSTITCH_ADMIN_TOKEN"]
        guard let tokenFile else {
            guard let environment, !environment.isEmpty else {
                throw ValidationError("--server needs an administrator's token: BACKSTITCH_ADMIN_TOKEN or --token-file")
            }
            return environment
        }
        do {
            return try String(contentsOf: URL(filePath: tokenFile), encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        } catch {
            throw ValidationError("the token file \(tokenFile) cannot be read: \(error)")
        }
    }
}
