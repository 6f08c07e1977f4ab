import ArgumentParser
import BackstitchServer
import Foundation
import Logging

/// The options of `serve` about users, tokens, encryption and rights.
struct AccessOptions: ParsableArguments {
    @Option(
        help: "The file of users, the digests of their tokens, and server-to-server keys; read again at SIGHUP.",
        completion: .file())
    var users: String?

    @Flag(
        help: ArgumentHelp(
            "Only the accounts of the storage may call, even if there are none yet.",
            discussion: "Accounts that `backstitch admin` has made are honoured in any case."))
    var accounts = false

    @Option(help: "The certificate for https with its chain of signing certificates, as PEM.", completion: .file())
    var tlsCertificate: String?

    @Option(help: "The certificate's private key, as PEM.", completion: .file())
    var tlsKey: String?

    @Flag(help: "Serve other machines without TLS, for example behind a proxy that has TLS.")
    var insecureHttp = false

    @Option(
        name: .customLong("public-role"),
        help: ArgumentHelp(
            """
            The rights to a type's records in the public database: \
            "Note:_world=read;_icloud=read,create;_creator=write"; repeat it for several. "*" means all other types. \
            Default: "*:_world=read;_icloud=create;_creator=write".
            """, valueName: "rule"))
    var publicRoles: [String] = []

    @Option(
        name: .customLong("query-index"),
        help: ArgumentHelp(
            "Fields that queries in production may use: \"Note:title,pinned\"; repeat it for several types.",
            valueName: "fields"))
    var queryIndexes: [String] = []

    func validate() throws {
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key are given together")
        }
    }

    /// Sets users, tokens, keys, certificates, public roles and query indexes.
    ///
    /// - Throws: `ValidationError` for an invalid line, rule or list of fields.
    func apply(to configuration: inout ZoneServerConfiguration, _ environment: [String: String]) throws {
        configuration.apiTokens = Self.apiTokens(environment)
        let file = try usersFile()
        configuration.users = try allUsers(environment) + file.users
        configuration.serverKeys = file.serverKeys
        // A file without names, for instance with all lines commented out, must not make the server open to everyone.
        configuration.usesAccounts = accounts || users != nil
        configuration.allowsInsecureHTTP = insecureHttp
        if let tlsCertificate, let tlsKey {
            configuration.transportSecurity = .init(
                certificate: URL(filePath: tlsCertificate), privateKey: URL(filePath: tlsKey))
        }
        for rule in publicRoles where !configuration.publicRoles.set(rule) {
            throw ValidationError(
                "--public-role takes \"Type:_world=read;_icloud=read,create;_creator=write\", not \"\(rule)\"")
        }
        for fields in queryIndexes where !configuration.queryIndexes.add(fields) {
            throw ValidationError("--query-index takes \"Type:field,field\", not \"\(fields)\"")
        }
    }

    /// Reads the file again. If it cannot be used, the earlier users and keys stay valid.
    func reload(_ server: ZoneServer) async {
        let environment = ProcessInfo.processInfo.environment
        let logger = server.configuration.logger
        do {
            let file = try usersFile()
            try await server.setTokens(
                apiTokens: Self.apiTokens(environment), users: allUsers(environment) + file.users,
                serverKeys: file.serverKeys)
            logger.notice("the users were read again")
        } catch {
            logger.error("the users were not read again: \(error)")
        }
    }

    /// The users of the environment: those with all rights, and those who only read.
    private func allUsers(_ environment: [String: String]) throws -> [ZoneServerConfiguration.User] {
        try Self.users(environment, "BACKSTITCH_USERS", areReadOnly: false)
            + Self.users(environment, "BACKSTITCH_READERS", areReadOnly: true)
    }

    private func usersFile() throws -> UsersFile {
        try users.map { try UsersFile(URL(filePath: $0)) } ?? UsersFile()
    }

    private static func apiTokens(_ environment: [String: String]) -> [TokenDigest] {
        words(environment["BACKSTITCH_API_TOKENS"]).map { TokenDigest(of: $0) }
    }

    private static func users(
        _ environment: [String: String], _ variable: String, areReadOnly: Bool
    ) throws -> [ZoneServerConfiguration.User] {
        try words(environment[variable]).map { word in
            let parts = word.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else {
                throw ValidationError("\(variable) takes name:token pairs, separated by spaces")
            }
            return .init(
                userRecordName: String(parts[0]), webAuthToken: String(parts[1]), isReadOnly: areReadOnly)
        }
    }

    private static func words(_ text: String?) -> [String] {
        (text ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
