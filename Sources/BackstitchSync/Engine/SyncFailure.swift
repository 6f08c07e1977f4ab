package import Backstitch

/// The failure of a step of a cycle, with the kind of remedy.
package struct SyncFailure: Error, Sendable {
    /// The kinds of failures, each with its remedy.
    package enum Kind: Sendable, Hashable {
        /// The server could not be reached, or the connection broke. Remedy: wait.
        case network
        /// The program does not permit the use of the network now. Remedy: wait.
        case noConnection
        /// The server cannot answer now. Remedy: wait.
        case busy
        /// The server does not know the user. Remedy: new credentials.
        case authentication
        /// The zone is gone. Remedy: create it again.
        case zoneNotFound
        /// The store has removed the zone. Remedy: continue with the next one.
        case zoneDropped
        /// The change token was refused. Remedy: read everything again.
        case tokenRefused
        /// The user's quota on the server is used up. Remedy: delete, or wait for room.
        case noRoom
        /// The server has refused a whole batch. Remedy: a smaller one.
        case batchRefused
        /// The step's initial state is no longer valid: another sync has changed the store, or an address has expired.
        /// Remedy: begin the step again.
        case superseded
        /// The program wants to decide first. Remedy: its decision.
        case stopped
        /// The engine knows no remedy.
        case permanent
    }

    /// The kind of failure, which determines the remedy.
    package var kind: Kind
    /// The error for the user.
    package var error: BackstitchError
    /// The wait that the server asks for, in milliseconds.
    package var retryAfter: Int64?
    /// Whether the answer took too long. A smaller request may get one.
    var tookTooLong = false

    /// Creates a failure of a step.
    package init(_ kind: Kind, _ error: BackstitchError, retryAfter: Int64? = nil) {
        self.kind = kind
        self.error = error
        self.retryAfter = retryAfter
    }

    /// Whether the server may have carried out the request.
    var mayHideSuccess: Bool { kind == .network || kind == .busy || kind == .permanent }

    /// Whether the server certainly has taken nothing of the batch.
    var tookNothing: Bool {
        kind == .batchRefused || kind == .noRoom || kind == .authentication || kind == .tokenRefused
    }

    /// Whether the same step may succeed later without a change by the user or the program.
    package var isTransient: Bool { isPassing || kind == .noConnection }

    /// Whether the same step may succeed in a moment.
    var isPassing: Bool { kind == .network || kind == .busy || kind == .superseded || kind == .noRoom }
}
