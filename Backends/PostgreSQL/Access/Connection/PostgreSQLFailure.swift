import Backstitch

/// A failure that PostgreSQL or its client library reports.
struct PostgreSQLFailure: Error, CustomStringConvertible {
    /// The point at which the request failed.
    enum Kind: Hashable {
        /// There is no connection: the server did not answer, or refused it.
        case unreachable
        /// The server did not prove its identity, or did not encrypt as required.
        case untrusted
        /// The client's certificate or its key cannot be used. The server was not contacted.
        case unpresentable
        /// The connection broke during the request.
        case lost
        /// The server did not answer in time, and the connection was closed.
        case silent
        /// The server refused the request. The connection is still good.
        case refused
        /// The answer is not one that PostgreSQL gives.
        case malformed
    }

    let kind: Kind
    /// The SQLSTATE, five characters; empty if the failure has none.
    let state: String
    /// The message of the server or the library, without the password.
    let message: String

    init(_ kind: Kind, state: String = "", _ message: String) {
        self.kind = kind
        self.state = state
        self.message = message
    }

    var description: String { state.isEmpty ? "PostgreSQL: \(message)" : "PostgreSQL \(state): \(message)" }

    /// Whether the whole transaction can run again, because concurrent work of others undid it. This includes unique
    /// values that another transaction has stored (23505): the next run of a save sees and names them.
    var isTransient: Bool { kind == .refused && ["40001", "40P01", "23505"].contains(state) }

    /// Whether the unchanged transaction may succeed later: others held its rows for too long, or the server was away.
    var isOthersDoing: Bool {
        isTransient || isDisconnection || mayPass || isTimeout
    }

    /// Whether a statement was stopped because it took too long, or the locks that it waited for.
    var isTimeout: Bool { kind == .refused && ["55P03", "57014"].contains(state) }

    /// Whether the disk of the server is full.
    var isFull: Bool { kind == .refused && state == "53100" }

    /// Whether a row already has the key or the unique values of an inserted one.
    var isDuplicate: Bool { kind == .refused && state == "23505" }

    /// Whether changes to the tables by another process may be the cause. A table or column is missing, a column has
    /// another type, or a new column requires a value.
    var mayTellOfOtherTables: Bool {
        kind == .refused && ["42P01", "42703", "42804", "0A000", "23502"].contains(state)
    }

    /// Whether the connection is lost.
    var isDisconnection: Bool { kind == .lost || kind == .silent || kind == .malformed }

    /// Whether an unreachable server may soon be available: it starts, restarts, or has too many connections.
    var mayPass: Bool {
        guard kind == .unreachable else { return false }
        return state.isEmpty || state.hasPrefix("57P") || state == "53300"
    }
}

extension PostgreSQLFailure {
    /// Creates the failure of a connection that was not made. The SQLSTATE is taken from the client library's verbose
    /// message: `connection to server … failed: FATAL:  28P01: password …`, with less important lines after it.
    init(unreachableBecause message: String) {
        var state = ""
        let lines = message.split(separator: "\n").map(String.init)
        // For a name with several addresses, the last one's message is the most useful, because the others were tried
        // first.
        let first = lines.last { $0.hasPrefix("connection to server") } ?? lines.first ?? message
        for part in first.split(separator: ":") {
            let word = part.drop { $0 == " " }
            let isState =
                word.utf8.count == 5 && word.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
            // `FATAL` has the same form, but a state has a digit.
            if isState, word.contains(where: \.isNumber) { state = String(word) }
        }
        // These are findings of the library itself, without a SQLSTATE (fe-secure-openssl.c, fe-secure-common.c,
        // fe-connect.c).
        func tells(_ parts: String...) -> Bool { state.isEmpty && parts.contains(where: first.contains) }
        let kind: Kind =
            if tells("private key file", "open certificate file", "read certificate file") {
                .unpresentable
            } else if tells("certificate", "SSL error", "not support SSL") { .untrusted } else { .unreachable }
        self.init(kind, state: state, first)
    }
}
