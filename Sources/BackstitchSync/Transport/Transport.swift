/// Carries requests to a server and answers back.
package protocol Transport: Sendable {
    /// Sends a request and waits for the complete answer, with any status.
    ///
    /// - Throws: ``TransportError`` when there is no answer, or `CancellationError`.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}
