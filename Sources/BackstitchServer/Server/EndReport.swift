import Logging

/// Logs the end of a server: the time it took, and the requests it cut.
struct EndReport: Sendable {
    /// The clock's uptime when the server stopped taking connections.
    let start: Int64
    /// Requests running then, without waiting polls.
    let requests: Int

    /// Logs the beginning of the end.
    init(_ connections: ConnectionRegistry, polls: Int, grace: Int, at now: Int64, _ logger: Logger) {
        start = now
        requests = max(connections.busy - polls, 0)
        logger.notice(
            "the server ends: it takes no new connection, answers polls that wait, and lets requests finish",
            metadata: ["requests": "\(requests)", "polls": "\(polls)", "grace_seconds": "\(grace)"])
    }

    /// Logs the end, with its duration and the numbers of finished and cut requests.
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
