/// A request of HTTP.
package struct TransportRequest: Sendable {
    /// The method of the request, for example `GET` or `PATCH`.
    package var method: String
    /// The whole address. It may hold secrets, so it is never written to a message.
    package var url: String
    /// Names and values of headers.
    package var headers: [(name: String, value: String)]
    /// The body that is sent.
    package var body: [UInt8]
    /// The time limit for the whole answer, in milliseconds.
    package var timeout: Int64
    /// The largest accepted body of the answer, in bytes.
    package var maximumResponse: Int
    /// Receives the number of bytes of the answer's body so far.
    package var onReceive: (@Sendable (Int) -> Void)?

    /// Creates a request without headers or body unless given.
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
