import BackstitchSupport
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
    ///
    /// Thousands of polls wait here at the same time. So this function and its callers keep little while they wait.
    /// Their other work is in functions that are never inlined, and so has frames of its own.
    func poll(_ incoming: IncomingRequest) async throws -> Response {
        let milliseconds = try wait(of: incoming)
        let mailbox = try await mailbox(of: incoming)
        if milliseconds == 0 { await service.notifier.settle(for: mailbox) }
        service.context.metrics.pollsWaiting.increment()
        defer { service.context.metrics.pollsWaiting.decrement() }
        // A poll ends with its token or key.
        let rest = try await service.context.users.rest(of: mailbox.bearer)
        let poll = begin(mailbox.key, min(milliseconds, rest), on: incoming.context.channel)
        let notification = await service.context.push.hub.next(poll)
        connections.forgetWatch(of: incoming.context.channel)
        return try await answer(notification, for: mailbox)
    }

    @inline(never)
    private func wait(of incoming: IncomingRequest) throws(WireError) -> Int64 {
        guard incoming.request.method == .get else { throw WireError(.badRequest, "aps answers to GET") }
        guard let text = incoming.parameters["wait"] else { return Int64(Self.defaultWait) * 1_000 }
        guard let seconds = Int(text), (0...Self.longestWait).contains(seconds) else {
            throw WireError(.badRequest, "wait must be 0 to \(Self.longestWait) seconds")
        }
        return Int64(seconds) * 1_000
    }

    /// Begins a poll. It ends when its client disconnects, so it takes no notification with it.
    @inline(never)
    private func begin(_ mailbox: PushTokenKey, _ milliseconds: Int64, on channel: any Channel) -> PushHub.Poll {
        let hub = service.context.push.hub
        let poll = hub.begin(for: mailbox, milliseconds: milliseconds)
        connections.watch(channel) { hub.giveUp(poll) }
        return poll
    }

    @inline(never)
    private func answer(_ notification: PushNotification?, for mailbox: StoredPushToken) async throws -> Response {
        let budget = AnswerBudget(configuration.standardLimits)
        // A token revoked meanwhile gets no notification.
        guard try await service.context.users.honours(mailbox.bearer) else {
            return .failure(PushTokenOperations.unknownToken)
        }
        return try notification.map { .json(try budget.close($0)) } ?? Response(status: .ok)
    }

    /// A push token as a source of failed attempts. Failures with one token say nothing about others.
    private static func source(_ token: String) -> String {
        "push token \(TokenDigest(presented: token).bytes.hexadecimal)"
    }

    /// The mailbox of a push token. A poll of any length counts as one request of the token's user.
    @inline(never)
    private func mailbox(of incoming: IncomingRequest) async throws -> StoredPushToken {
        guard let token = incoming.parameters["tok"] else {
            throw WireError(.badRequest, "aps needs the parameter tok")
        }
        try authenticator.attempts.admit(nil, from: Self.source(token))
        let mailbox: StoredPushToken
        do { mailbox = try await service.pushTokens.openMailbox(token: token) } catch let error as WireError
            where error.code == .notFound
        {
            // A made-up token has cost no read. A genuine one without a mailbox counts only for itself.
            if PushTokenText(token)?.isGenuine(service.context.signer) == true {
                authenticator.attempts.noteFailure(from: Self.source(token))
            }
            throw error
        }
        try reception.count(mailbox.user)
        return mailbox
    }
}
