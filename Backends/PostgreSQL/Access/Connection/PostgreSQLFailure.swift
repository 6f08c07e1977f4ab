import Backstitch

/// The report of PostgreSQL or its client library when something failed.
struct PostgreSQLFailure: Error, CustomStringConvertible {
    /// How far the request came.
    enum Kind: Hashable {
        /// There is no connection: nobody answered, or the server turned us away.
        case unreachable
        /// The server did not prove who it is, or does not encrypt as was asked for.
        case untrusted
        /// The client's certificate or its key cannot be used; nobody was asked.
        case unpresentable
        /// The connection broke while the request was under way.
        case lost
        /// The server did not answer in time; the connection was given up.
        case silent
        /// The server refused the request; the connection is as good as before.
        case refused
        /// The answer is none that PostgreSQL gives.
        case malformed
    }

    let kind: Kind
    /// The SQLSTATE, five characters; empty when there is none.
    let state: String
    /// The server's or library's message, without the password.
    let message: String

    init(_ kind: Kind, state: String = "", _ message: String) {
        self.kind = kind
        self.state = state
        self.message = message
    }

    var description: String { state.isEmpty ? "PostgreSQL: \(message)" : "PostgreSQL \(state): \(message)" }

    /// Whether the whole transaction may simply be run again: it was undone because of what others did at the same
    /// time. So it is when another transaction stored the same unique values (23505): run again, a save sees and names
    /// them.
    var isTransient: Bool { kind == .refused && ["40001", "40P01", "23505"].contains(state) }

    /// Whether a transaction that only failed for this may succeed later, as it is: others held its rows for too long,
    /// or nobody was there.
    var isOthersDoing: Bool {
        isTransient || isDisconnection || mayPass || isTimeout
    }

    /// Whether a statement was stopped because it, or the locks for which it waited, took too long.
    var isTimeout: Bool { kind == .refused && ["55P03", "57014"].contains(state) }

    /// Whether the server's disk has no room.
    var isFull: Bool { kind == .refused && state == "53100" }

    /// Whether there is a row already with the key or the unique values of one that was to be inserted.
    var isDuplicate: Bool { kind == .refused && state == "23505" }

    /// Whether tables that another process has changed are a possible cause: a table or column is missing, one has
    /// another type, or one is there that must have a value.
    var mayTellOfOtherTables: Bool {
        kind == .refused && ["42P01", "42703", "42804", "0A000", "23502"].contains(state)
    }

    /// Whether the connection is gone.
    var isDisconnection: Bool { kind == .lost || kind == .silent || kind == .malformed }

    /// Whether a server that cannot be reached may be there in a moment: it starts, restarts, or has too many visitors.
    var mayPass: Bool {
        guard kind == .unreachable else { return false }
        return state.isEmpty || state.hasPrefix("57P") || state == "53300"
    }
}

extension PostgreSQLFailure {
    /// The failure of a connection that was not made, with the SQLSTATE that a verbose message of the client library
    /// has: `connection to server … failed: FATAL:  28P01: password …`, followed by lines of less interest.
    init(unreachableBecause message: String) {
        var state = ""
        let lines = message.split(separator: "\n").map(String.init)
        // Of a name with several addresses the last one's tells most: the others have been left for it.
        let first = lines.last { $0.hasPrefix("connection to server") } ?? lines.first ?? message
        for part in first.split(separator: ":") {
            let word = part.drop { $0 == " " }
            let isState =
                word.utf8.count == 5 && word.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
            // `FATAL` is a word of that form too; a state has a digit.
            if isState, word.contains(where: \.isNumber) { state = String(word) }
        }
        // These are the library's own findings, without a SQLSTATE (fe-secure-openssl.c, fe-secure-common.c,
        // fe-connect.c).
        func tells(_ parts: String...) -> Bool { state.isEmpty && parts.contains(where: first.contains) }
        let kind: Kind =
            if tells("private key file", "open certificate file", "read certificate file") {
                .unpresentable
            } else if tells("certificate", "SSL error", "not support SSL") { .untrusted } else { .unreachable }
        self.init(kind, state: state, first)
    }
}
