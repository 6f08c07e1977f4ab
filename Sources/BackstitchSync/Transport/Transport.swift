/// Carries requests to a server and answers back.
package protocol Transport: Sendable {
    /// Sends a request and waits for the whole answer, whatever its status.
    ///
    /// - Throws: ``TransportError`` when there is no answer, or `CancellationError`.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// A request of HTTP.
package struct TransportRequest: Sendable {
    /// `GET` or `POST`.
    package var method: String
    /// The whole address. It may hold secrets, so it never goes into a message.
    package var url: String
    /// Names and values of headers.
    package var headers: [(name: String, value: String)]
    /// The body that is sent.
    package var body: [UInt8]
    /// Milliseconds until the whole answer must be there.
    package var timeout: Int64
    /// Bytes of the answer's body that are accepted.
    package var maximumResponse: Int
    /// Told how many bytes of the answer's body have come.
    package var onReceive: (@Sendable (Int) -> Void)?

    /// A request.
    package init(
        method: String, url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        timeout: Int64, maximumResponse: Int, onReceive: (@Sendable (Int) -> Void)? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maximumResponse = maximumResponse
        self.onReceive = onReceive
    }
}

/// An answer of HTTP.
package struct TransportResponse: Sendable {
    /// The status code.
    package var status: Int
    /// Names and values of headers.
    package var headers: [(name: String, value: String)]
    /// The body that was received.
    package var body: [UInt8]

    /// An answer.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of a header, whose name is compared without regard to case.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }
}

/// Why there is no answer.
package struct TransportError: Error, Sendable {
    /// The kinds of errors.
    package enum Kind: Sendable, Hashable {
        /// The server could not be reached, or the connection broke.
        case unreachable
        /// The answer did not come in time.
        case timeout
        /// The answer is larger than accepted.
        case tooLarge
    }

    /// The kind of error.
    package var kind: Kind
    /// A text that says what happened, without any address.
    package var message: String
    /// The error of the library below.
    package var cause: (any Error)?

    /// An error.
    package init(_ kind: Kind, _ message: String, cause: (any Error)? = nil) {
        self.kind = kind
        self.message = message
        self.cause = cause
    }
}
