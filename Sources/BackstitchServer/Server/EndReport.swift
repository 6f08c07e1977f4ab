import Logging

/// The words of a server that ends, so that its log tells why it took long, or what it has cut.
struct EndReport: Sendable {
    /// The clock's uptime when no new connection was taken any more.
    let start: Int64
    /// Requests that ran then, without polls that wait.
    let requests: Int

    /// Tells that the end has begun.
    init(_ connections: ConnectionRegistry, polls: Int, grace: Int, at now: Int64, _ logger: Logger) {
        start = now
        requests = max(connections.busy - polls, 0)
        logger.notice(
            "the server ends: it takes no new connection, answers polls that wait, and lets requests finish",
            metadata: ["requests": "\(requests)", "polls": "\(polls)", "grace_seconds": "\(grace)"])
    }

    /// Tells how it went.
    func end(_ connections: ConnectionRegistry, at now: Int64, _ logger: Logger) {
        let cut = connections.cut
        let seconds = Double(now - start) / 1_000
        logger.notice(
            "the server has ended",
            metadata: [
                "seconds": "\(seconds)", "finished": "\(max(requests - cut, 0))", "cut": "\(cut)",
            ])
    }
}
