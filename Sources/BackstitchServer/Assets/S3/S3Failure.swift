#if TLS
/// Why a request to a store failed.
struct S3Failure: Error {
    enum Kind: Sendable, Equatable {
        /// The store cannot be reached, or the connection broke.
        case unreachable
        /// No answer came in time.
        case late
        /// It answered with an error, of which it tells a code.
        case refused(status: Int, code: String)
        /// An answer that has no meaning.
        case malformed
    }

    let kind: Kind
    /// Says more, in words of the store or of the network.
    let detail: String
    /// The region in which the store says that the bucket is.
    var region: String?
    /// The store's clock when it answered, in words of its own.
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

    /// Whether the store says that there is no such object. A bucket that is not there is no such answer.
    var isMissingObject: Bool {
        guard case .refused(404, let code) = kind else { return false }
        return code == "NoSuchKey" || code.isEmpty
    }

    func has(code: String) -> Bool {
        if case .refused(_, code) = kind { true } else { false }
    }
}
#endif
