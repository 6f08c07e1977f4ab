package import Backstitch

/// Why a step of a cycle failed, and so what may help.
package struct SyncFailure: Error, Sendable {
    /// The kinds of failures, each with the remedy that may help.
    package enum Kind: Sendable, Hashable {
        /// The server could not be reached, or the connection broke: waiting.
        case network
        /// The program says that the network may not be used now: waiting.
        case noConnection
        /// The server cannot answer now: waiting.
        case busy
        /// The server does not know the user: new credentials.
        case authentication
        /// The zone is gone: making it anew.
        case zoneNotFound
        /// The store does without the zone from now on: going on with the next one.
        case zoneDropped
        /// The change token is not honoured: reading everything again.
        case tokenRefused
        /// The user's allowance on the server is used up: deleting, or waiting for room.
        case noRoom
        /// The server has not taken a batch as a whole: a smaller one.
        case batchRefused
        /// The state from which the step began does not hold any more, since somebody else has changed the store or an
        /// address has run out: beginning the step again.
        case superseded
        /// The program wants to decide first how to go on: its word.
        case stopped
        /// Nothing that the engine knows.
        case permanent
    }

    /// The kind of failure, which says what may help.
    package var kind: Kind
    /// The error for the user.
    package var error: BackstitchError
    /// Milliseconds that the server asks to wait.
    package var retryAfter: Int64?
    /// Whether there was no answer in time: something smaller may get one.
    var tookTooLong = false

    /// A failure.
    package init(_ kind: Kind, _ error: BackstitchError, retryAfter: Int64? = nil) {
        self.kind = kind
        self.error = error
        self.retryAfter = retryAfter
    }

    /// Whether the server may have done what it was asked.
    var mayHideSuccess: Bool { kind == .network || kind == .busy || kind == .permanent }

    /// Whether the server certainly has nothing of the batch that it was sent.
    var tookNothing: Bool {
        kind == .batchRefused || kind == .noRoom || kind == .authentication || kind == .tokenRefused
    }

    /// Whether the same step may succeed later without anybody's help.
    package var isTransient: Bool { isPassing || kind == .noConnection }

    /// Whether the same step may succeed in a moment.
    var isPassing: Bool { kind == .network || kind == .busy || kind == .superseded || kind == .noRoom }
}
