import CloudWire
import CoreMetrics
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
        let mailbox = try await mailbox(token, incoming.address)
        let hub = service.hub
        let milliseconds = Int64(wait) * 1000
        service.metrics.pollsWaiting.increment()
        defer { service.metrics.pollsWaiting.decrement() }
        // A client that goes away must not take a notification with it.
        let notification = try await incoming.request.body.consumeWithCancellationOnInboundClose { _ in
            await hub.next(for: mailbox.key, milliseconds: milliseconds)
        }
        let budget = AnswerBudget(configuration.standardLimits)
        var response =
            if try await service.users.knows(mailbox.user) {
                try notification.map { .json(try budget.close($0)) } ?? Response(status: .ok)
            } else {
                // A user who was removed meanwhile is told nothing more.
                Response.failure(ZoneService.unknownPushToken)
            }
        // Watching the connection while waiting uses it up.
        response.headers[.connection] = "close"
        return response
    }

    /// The mailbox of a push token. Tokens that are not known count as failed attempts.
    private func mailbox(_ token: String, _ address: String) async throws -> StoredPushToken {
        do { return try await service.openMailbox(token: token) } catch let error as WireError
            where error.code == .notFound
        {
            _ = try await authenticator.attempts.check(TokenDigest(presented: token), from: address) { _ in Bool?.none }
            throw error
        }
    }
}
