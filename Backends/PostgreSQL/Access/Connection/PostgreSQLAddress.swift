import Backstitch
import BackstitchSupport
import Foundation

/// The address of a database, with user and password. The client library takes missing parts from the `PG*`
/// environment.
struct PostgreSQLAddress: Sendable {
    /// The parameters of the connection by the client library's names, without secrets.
    private(set) var parameters: [String: String] = [:]
    /// The password and other secrets, by the client library's names.
    private(set) var secrets = ConnectionSecrets()

    /// Creates the address from a store's URL and options.
    ///
    /// - Throws: ``BackstitchError/Code/invalidOption`` when the URL has an unknown parameter, or contradicts an
    ///   option, ``BackstitchError/Code/invalidRequest`` when the URL is not that of a PostgreSQL database. The message
    ///   never has the password.
    init(_ configuration: StoreConfiguration) throws {
        try self.init(url: configuration.url, options: configuration.options)
    }

    /// Creates the address from a store's URL and options; see ``init(_:)``.
    init(url: URL?, options: StoreOptions) throws {
        if let url { try read(url) }
        try set("host", options.value(.postgresHost), .postgresHost)
        try set("port", (options.value(.postgresPort) as Int?).map(String.init), .postgresPort)
        try set("dbname", options.value(.postgresDatabase), .postgresDatabase)
        try set("user", options.value(.postgresUser), .postgresUser)
        try set("sslmode", options.value(.postgresSSLMode), .postgresSSLMode)
        try set("sslrootcert", options.value(.postgresSSLRootCertificate), .postgresSSLRootCertificate)
        try set("application_name", options.value(.postgresApplicationName), .postgresApplicationName)
        try set("require_auth", options.value(.postgresRequireAuth), .postgresRequireAuth)
        for (name, value) in options.value(.postgresParameters, as: [String: String].self) ?? [:] {
            guard PostgreSQLKeywords.settable.contains(name) else {
                throw PostgreSQLKeywords.refusal(of: name, in: "option \"postgresParameters\"")
            }
            try set(name, value, .postgresParameters)
        }
        try takeSecrets(options)
        let values = parameters.map { ($0, $1) } + secrets.pairs
        for (name, value) in values where value.utf8.contains(0) {
            throw BackstitchError(
                .invalidOption, "the connection's \(name) has a NUL character; take it out", key: name)
        }
        try PostgreSQLKeywords.checkLibrary(knows: values.map(\.0))
        requireServerIdentity()
    }

    /// Takes the password and other secrets from the options.
    private mutating func takeSecrets(_ options: StoreOptions) throws {
        if let text = options.value(.postgresPassword, as: String.self) {
            if let other = secrets["password"], other != text { throw Self.contradiction(.postgresPassword) }
            secrets["password"] = text
        }
        for (name, value) in options.value(.postgresSecretParameters, as: [String: String].self) ?? [:] {
            guard PostgreSQLKeywords.secret.contains(name) else {
                throw PostgreSQLKeywords.refusal(
                    of: name, in: "option \"postgresSecretParameters\"", taking: PostgreSQLKeywords.secret)
            }
            secrets[name] = value
        }
    }

    /// Requires that a server on another machine proves its identity, unless the program, the URL or the environment
    /// decide otherwise.
    private mutating func requireServerIdentity() {
        let environment = ProcessInfo.processInfo.environment
        func isSaid(_ name: String, _ variable: String) -> Bool {
            parameters[name] != nil || environment[variable].map { !$0.isEmpty } ?? false
        }
        guard !isLocal(environment), !isSaid("sslmode", "PGSSLMODE") else { return }
        parameters["sslmode"] = "verify-full"
        let ownRoots = URL(filePath: NSHomeDirectory()).appending(path: ".postgresql/root.crt")
        let hasRoots = isSaid("sslrootcert", "PGSSLROOTCERT") || FileManager.default.fileExists(atPath: ownRoots.path)
        if !hasRoots, PostgreSQLKeywords.knowsSystemRoots { parameters["sslrootcert"] = "system" }
    }

    /// Whether the server is on this machine, by all its names.
    private func isLocal(_ environment: [String: String]) -> Bool {
        // A service file may name any host.
        if parameters["service"] != nil || environment["PGSERVICE"] != nil, parameters["host"] == nil { return false }
        let names = [
            parameters["host"] ?? environment["PGHOST"] ?? "",
            parameters["hostaddr"] ?? environment["PGHOSTADDR"] ?? "",
        ]
        return names.flatMap { $0.split(separator: ",") }.allSatisfy { name in
            name.hasPrefix("/") || name.hasPrefix("@") || String(name).isLoopbackHost
        }
    }

    /// The names and values for the client library.
    var keywords: ConnectionKeywords {
        var pairs = parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + secrets.pairs
        if parameters["application_name"] == nil { pairs.append(("fallback_application_name", "Backstitch")) }
        pairs.append(("client_encoding", "UTF8"))
        // A vanished peer is noticed even without requests.
        let own = [("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3")]
        pairs += own.filter { parameters[$0.0] == nil }
        return ConnectionKeywords(pairs)
    }

    /// The name of the database in messages, without the password.
    func summary(schema: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        let user = parameters["user"] ?? environment["PGUSER"]
        let name = parameters["dbname"] ?? environment["PGDATABASE"] ?? user ?? "of the user's name"
        let host = parameters["host"] ?? environment["PGHOST"] ?? "the local socket"
        let port = parameters["port"] ?? environment["PGPORT"] ?? "5432"
        return "the PostgreSQL database \(name) (schema \(schema)) at \(host):\(port)"
    }
}

extension PostgreSQLAddress {
    /// Reads the parts of a URL into the parameters.
    private mutating func read(_ url: URL) throws {
        guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            ["postgres", "postgresql"].contains(components.scheme?.lowercased())
        else {
            throw BackstitchError(
                .invalidRequest,
                "the URL of a PostgreSQL store is written postgres://user:password@host:port/database, and this one has the scheme "
                    + "\(url.scheme ?? "of none")")
        }
        for item in components.queryItems ?? [] {
            guard PostgreSQLKeywords.settable.contains(item.name) else {
                throw PostgreSQLKeywords.refusal(of: item.name, in: "the store's URL")
            }
            parameters[item.name] = item.value ?? ""
        }
        if let host = components.host, !host.isEmpty {
            parameters["host"] = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        }
        if let port = components.port { parameters["port"] = String(port) }
        if let user = components.user, !user.isEmpty { parameters["user"] = user }
        secrets["password"] = components.password
        let name = components.path.drop { $0 == "/" }
        if !name.isEmpty { parameters["dbname"] = String(name) }
    }

    /// Sets a parameter from an option.
    ///
    /// - Throws: ``BackstitchError/Code/invalidOption`` when the URL has another value.
    private mutating func set(_ name: String, _ value: String?, _ option: StoreOption) throws {
        guard let value else { return }
        if let other = parameters[name], other != value { throw Self.contradiction(option) }
        parameters[name] = value
    }

    private static func contradiction(_ option: StoreOption) -> BackstitchError {
        BackstitchError(
            .invalidOption,
            "option \"\(option)\" and the store's URL have different values; give the value in one place only",
            key: option.rawValue)
    }
}
