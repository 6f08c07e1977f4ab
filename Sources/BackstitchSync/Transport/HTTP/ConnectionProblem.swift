import Backstitch

/// The texts for errors of connections. They describe the program at the other end, alike for every library.
enum ConnectionProblem {
    static let notHTTP = "the service there does not speak HTTP"
    static let notTLS = "the service there does not speak TLS; should its address begin with http:// ?"
    static let notTrusted =
        "its certificate is not trusted; the option syncTrustRoots can name the file of your own authority"
    static let unreachable = "the server could not be reached, or the connection broke"

    /// Creates the error for an answer that is larger than accepted.
    static func tooLarge(_ request: TransportRequest) -> TransportError {
        TransportError(.tooLarge, "the answer is larger than \(request.maximumResponse) bytes")
    }
}
