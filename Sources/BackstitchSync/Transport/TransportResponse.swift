/// An answer of HTTP.
package struct TransportResponse: Sendable {
    /// The status code of the answer.
    package var status: Int
    /// Names and values of headers.
    package var headers: [(name: String, value: String)]
    /// The body that was received.
    package var body: [UInt8]

    /// Creates an answer without headers or body unless given.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the value of a header. The name is compared without regard to case.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }
}
