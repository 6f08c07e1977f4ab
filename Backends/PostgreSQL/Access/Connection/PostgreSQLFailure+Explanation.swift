import Backstitch

extension PostgreSQLFailure {
    /// Turns any error of a request into one for users: the event, the store and the remedy. Errors of this project
    /// stay unchanged.
    ///
    /// - Parameter store: The store's place, without the password.
    static func explain(_ error: any Error, store: String) -> any Error {
        guard let failure = error as? PostgreSQLFailure else { return error }
        let (code, text) = failure.explanation(store: store)
        return BackstitchError(code, text, cause: failure)
    }

    /// The code and the message for users, by the kind of failure.
    private func explanation(store: String) -> (BackstitchError.Code, String) {
        switch kind {
        case .unreachable: connecting(store)
        case .untrusted:
            (
                .authentication,
                "\(store) did not pass the check that the option postgresSSLMode demands: \(message). Check "
                    + "postgresSSLRootCertificate, and that the server's certificate is for postgresHost"
            )
        case .unpresentable:
            (
                .authentication,
                "this client's certificate cannot be used for \(store): \(message). Check sslcert and sslkey in "
                    + "postgresParameters, and for a protected key sslpassword in postgresSecretParameters"
            )
        case .lost:
            (.storeFailure, "the connection to \(store) broke; nothing of the request was stored, so try again")
        case .silent:
            (
                .storeFailure,
                "\(store) did not answer in time; nothing of the request was stored. Look after the server, or raise the option "
                    + "postgresStatementTimeout"
            )
        case .malformed:
            (.storeFailure, "the program at \(store) does not speak PostgreSQL's protocol correctly: \(message)")
        case .refused: refusal(store)
        }
    }

    /// The code and the message for a failed connection, by the server's state code.
    private func connecting(_ store: String) -> (BackstitchError.Code, String) {
        switch state {
        case "28000" where message.contains("no encryption"):
            (
                .authentication,
                "\(store) refuses connections without encryption; set the option postgresSSLMode to require or more"
            )
        case "28P01", "28000":
            (.authentication, "\(store) refuses this user; check the options postgresUser and postgresPassword")
        case "3D000":
            (
                .storeNotFound,
                "\(store) does not exist: the server has no such database; create it, or check postgresDatabase"
            )
        case "53300":
            (
                .storeFailure,
                "\(store) has no room for another connection; lower postgresPoolSize, or raise max_connections"
            )
        case let state where state.hasPrefix("57P"):
            (.storeFailure, "\(store) is starting or stopping; try again in a moment")
        default: (.storeNotFound, "\(store) cannot be reached; check postgresHost, postgresPort and the server")
        }
    }

    /// The code and the message for a refused statement, by the server's state code.
    private func refusal(_ store: String) -> (BackstitchError.Code, String) {
        switch state {
        case "40001", "40P01":
            (
                .storeFailure,
                "other transactions changed the same rows of \(store) again and again, so each attempt to save "
                    + "was undone; try again"
            )
        case "55P03":
            (
                .storeFailure,
                "other transactions locked rows of \(store) for too long; try again, or raise postgresStatementTimeout"
            )
        case "57014":
            (
                .storeFailure,
                "a request to \(store) took longer than the option postgresStatementTimeout, and was stopped"
            )
        case "25006": (.readOnly, "\(store) takes no writes: it is a standby, or was made read-only")
        case "42501": (.readOnly, "the user of \(store) lacks a right (\(message)); grant it")
        case "53100": (.storeFailure, "the disk of \(store) is full; free some space and try again. Nothing was stored")
        case "53200": (.storeFailure, "\(store) has no memory for the request; ask for fewer rows at a time")
        case "26000", "42P05":
            (
                .storeFailure,
                "a pooler before \(store) does not keep prepared statements apart (\(message)); use PgBouncer 1.21 or newer with "
                    + "max_prepared_statements, or set the option postgresPreparedStatements to false"
            )
        case "2201B": (.invalidPredicate, "\(store) cannot search by the pattern of MATCHES: \(message)")
        default: refusalByClass(store)
        }
    }

    /// The code and the message for other state codes, by their class: the first two characters.
    private func refusalByClass(_ store: String) -> (BackstitchError.Code, String) {
        switch String(state.prefix(2)) {
        case "22": (.invalidValue, "\(store) cannot take a value: \(message)")
        case "23": (.constraint, "\(store) refused a row: \(message)")
        case "53", "58": (.storeFailure, "\(store) has run out of a resource: \(message)")
        case "54": (.invalidRequest, "a request is too large for \(store): \(message)")
        case "XX": (.storeFailure, "\(store) is damaged or had an internal error: \(message); see the server's log")
        case "42":
            (
                .storeFailure,
                "\(store) lacks some of its tables or columns (\(message)); restore it from a backup"
            )
        default: (.storeFailure, "a request to \(store) failed: \(message) (\(state))")
        }
    }
}
