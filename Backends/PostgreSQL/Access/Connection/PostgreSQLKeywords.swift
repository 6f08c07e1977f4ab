import Backstitch
import CLibPQ

/// The keywords of a connection in the client library.
enum PostgreSQLKeywords {
    /// The keywords that a URL or an option may set. The others belong to the store itself (encoding, time limits), ask
    /// a person (OAuth), write session keys to a file, or are secrets.
    static let settable: Set<String> = [
        "host", "hostaddr", "port", "user", "dbname", "passfile", "service", "application_name", "options",
        "require_auth", "channel_binding", "requirepeer", "target_session_attrs", "load_balance_hosts",
        "sslmode", "sslnegotiation", "sslrootcert", "sslcert", "sslkey", "sslcertmode", "sslcrl", "sslcrldir", "sslsni",
        "sslcompression", "ssl_min_protocol_version", "ssl_max_protocol_version",
        "gssencmode", "krbsrvname", "gsslib", "gssdelegation",
        "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout",
        "min_protocol_version", "max_protocol_version",
    ]
    /// The secret keywords. They have an option of their own and must not be in a URL, because a URL is shown.
    static let secret: Set<String> = ["sslpassword", "scram_client_key", "scram_server_key"]

    /// Whether the library can use the certificates that the system trusts.
    static var knowsSystemRoots: Bool { PQlibVersion() >= 160_000 }

    /// The error for a keyword that is not allowed in its place.
    static func refusal(of name: String, in place: String, taking allowed: Set<String> = settable) -> BackstitchError {
        BackstitchError(
            .invalidOption,
            "\(place) has a parameter \"\(name)\"; "
                + (secret.contains(name)
                    ? "it is a secret; give it in the option postgresSecretParameters"
                    : "the allowed parameters are " + allowed.sorted().joined(separator: ", ")),
            key: name)
    }

    /// Checks that the library knows all keywords.
    ///
    /// - Throws: ``BackstitchError/Code/invalidOption`` for a keyword that is newer than the library.
    static func checkLibrary(knows names: some Sequence<String>) throws {
        guard let first = PQconndefaults() else { return }
        defer { PQconninfoFree(first) }
        var known: Set<String> = []
        var next = first
        while let name = next.pointee.keyword {
            known.insert(String(cString: name))
            next += 1
        }
        for name in names.sorted() where !known.contains(name) {
            let version = PQlibVersion()
            throw BackstitchError(
                .invalidOption,
                "the client library of PostgreSQL (libpq \(version / 10_000).\(version % 10_000)) does not know the "
                    + "parameter \"\(name)\"; install a newer one", key: name)
        }
    }
}
