import BackstitchSQL
import CloudWire

extension TransactionFailure {
    /// The answer to a request that failed so. The request may be sent again.
    var wireError: WireError {
        kind == .full ? .diskIsFull : WireError(.tryAgainLater, "the server is busy", retryAfter: 1)
    }
}

extension WireError {
    /// The answer to a change that a full disk prevents.
    static var diskIsFull: WireError {
        WireError(
            .tryAgainLater,
            "the server's disk is full, so nothing was stored; delete something, or try again when its operator has made room",
            retryAfter: 60)
    }
}
