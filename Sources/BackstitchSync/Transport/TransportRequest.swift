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
