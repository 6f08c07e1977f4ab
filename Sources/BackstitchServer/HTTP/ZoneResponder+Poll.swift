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
    /// Thousands wait here at the same time, so that this function, and those that lead to it, keep little while they
    /// wait: whatever else they do has a frame of its own, which the compiler would otherwise make a part of theirs.
    func poll(_ incoming: IncomingRequest) async throws -> Response {
        let milliseconds = try wait(of: incoming)
        let mailbox = try await mailbox(of: incoming)
        service.metrics.pollsWaiting.increment()
        defer { service.metrics.pollsWaiting.decrement() }
        let poll = begin(mailbox.key, milliseconds, on: incoming.context.channel)
        let notification = await service.hub.next(poll)
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

    /// Begins a poll that ends when its client goes away, which must not take a notification with it.
    @inline(never)
    private func begin(_ mailbox: PushTokenKey, _ milliseconds: Int64, on channel: any Channel) -> PushHub.Poll {
        let hub = service.hub
        let poll = hub.begin(for: mailbox, milliseconds: milliseconds)
        connections.watch(channel) { hub.giveUp(poll) }
        return poll
    }

    @inline(never)
    private func answer(_ notification: PushNotification?, for mailbox: StoredPushToken) async throws -> Response {
        let budget = AnswerBudget(configuration.standardLimits)
        // A token that was taken back meanwhile is told nothing more.
        guard try await service.users.honours(mailbox.bearer) else { return .failure(ZoneService.unknownPushToken) }
        return try notification.map { .json(try budget.close($0)) } ?? Response(status: .ok)
    }

    /// A push token as a source of failed attempts: those with one that is gone say nothing of others.
    private static func source(_ token: String) -> String {
        "push token \(TokenDigest(presented: token).bytes.hexadecimal)"
    }

    /// The mailbox of a push token, whose user's requests a poll is one of, however long it waits.
    @inline(never)
    private func mailbox(of incoming: IncomingRequest) async throws -> StoredPushToken {
        guard let token = incoming.parameters["tok"] else {
            throw WireError(.badRequest, "aps needs the parameter tok")
        }
        try authenticator.attempts.admit(nil, from: Self.source(token))
        let mailbox: StoredPushToken
        do { mailbox = try await service.openMailbox(token: token) } catch let error as WireError
            where error.code == .notFound
        {
            // One that is made up has cost no look. One that a server made, and that is gone, counts for itself.
            if PushTokenText(token)?.isGenuine(service.signer) == true {
                authenticator.attempts.noteFailure(from: Self.source(token))
            }
            throw error
        }
        try reception.count(mailbox.user)
        return mailbox
    }
}
