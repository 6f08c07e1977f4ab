import Backstitch

/// The texts for errors of connections. They describe the program at the other end, alike for every library.
enum ConnectionProblem {
    static let notHTTP = "what listens there does not speak HTTP"
    static let notTLS = "what listens there does not speak TLS; is its address one of http:// ?"
    static let notTrusted =
        "its certificate is not one that is trusted; the option syncTrustRoots names the file of an authority of one's own"
    static let unreachable = "the server could not be reached, or the connection broke"

    /// Creates the error for an answer that is larger than accepted.
    static func tooLarge(_ request: TransportRequest) -> TransportError {
        TransportError(.tooLarge, "the answer is larger than \(request.maximumResponse) bytes")
    }
}
