#if TLS
/// The reason why a request to a store failed.
struct S3Failure: Error {
    /// The kind of failure, for the advice and for the decision to repeat.
    enum Kind: Sendable, Equatable {
        /// The store cannot be reached, or the connection broke.
        case unreachable
        /// The answer did not come in time.
        case late
        /// The store answered with an error and its code.
        case refused(status: Int, code: String)
        /// The answer has no valid form.
        case malformed
    }

    let kind: Kind
    /// Details in the words of the store or of the network.
    let detail: String
    /// The region of the bucket, according to the store.
    var region: String?
    /// The time of the store at its answer, as text.
    var date: String?

    init(_ kind: Kind, _ detail: String, region: String? = nil, date: String? = nil) {
        self.kind = kind
        self.detail = detail
        self.region = region
        self.date = date
    }

    /// Whether the same request may succeed a moment later.
    var mayPass: Bool {
        switch kind {
        case .unreachable, .late: true
        case .refused(let status, let code):
            status >= 500 && status != 501 || status == 429 || status == 408
                || ["RequestTimeout", "SlowDown", "InternalError", "OperationAborted"].contains(code)
        case .malformed: false
        }
    }

    /// Whether the store says that the object does not exist. A missing bucket is another failure.
    var isMissingObject: Bool {
        guard case .refused(404, let code) = kind else { return false }
        return code == "NoSuchKey" || code.isEmpty
    }

    /// Whether the store refused the request with this code.
    func has(code: String) -> Bool {
        if case .refused(_, code) = kind { true } else { false }
    }
}
#endif
