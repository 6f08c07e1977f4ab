import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension ZoneResponder {
    private static let defaultWait = 25
    private static let longestWait = 60

    /// The long poll: one notification, or an empty body after the wait.
    func poll(_ incoming: IncomingRequest) async throws -> Response {
        guard incoming.request.method == .get else { throw WireError(.badRequest, "aps answers to GET") }
        guard let token = incoming.parameters["tok"] else {
            throw WireError(.badRequest, "aps needs the parameter tok")
        }
        var wait = Self.defaultWait
        if let text = incoming.parameters["wait"] {
            guard let seconds = Int(text), (0...Self.longestWait).contains(seconds) else {
                throw WireError(.badRequest, "wait must be 0 to \(Self.longestWait) seconds")
            }
            wait = seconds
        }
        let mailbox = try await service.openMailbox(token: token)
        let hub = service.hub
        let milliseconds = Int64(wait) * 1000
        // A client that goes away must not take a notification with it.
        let notification = try await incoming.request.body.consumeWithCancellationOnInboundClose { _ in
            await hub.next(for: mailbox, milliseconds: milliseconds)
        }
        var response = try notification.map { try Response.json($0) } ?? Response(status: .ok)
        // Watching the connection while waiting uses it up.
        response.headers[.connection] = "close"
        return response
    }
}
