import Backstitch
import CloudWire

extension Notifier {
    /// Looks for changes by other servers, and tells the devices whose subscriptions fire. It takes two statements for
    /// all push tokens with a mailbox here.
    ///
    /// - Parameter users: The users to look at; nil for all.
    func lookAtPeers(_ users: Set<String>? = nil) async throws {
        guard let watch = server.push.peers?.watch else { return }
        // A look before this server's own news were told would tell of them too.
        await server.push.stage.settle()
        watch.keep(server.push.hub.knows)
        let users = watch.users(among: users)
        if users.isEmpty { return }
        let tokens = watch.tokens(of: users)
        let findings = watch.compare(try await server.storage.read { try $0.watches(ofUsers: users) }, tokens: tokens)
        // Their polls end. The next poll finds out the state of the token.
        server.push.hub.close(findings.lost)
        try await tell(findings)
    }

    private func tell(_ findings: SubscriptionWatch.Findings) async throws {
        for (tokens, subscriptionID, head) in findings.gone {
            guard let token = tokens.first else { continue }
            let zoneID = head.zoneName.map { ZoneID(zoneName: $0, ownerRecordName: token.user) }
            let subscription = WireSubscription(
                subscriptionID: subscriptionID, subscriptionType: zoneID == nil ? .query : .zone, zoneID: zoneID)
            let news = MailboxNews([hint(StoredHint(subscription: subscription, scope: head.scope), token)])
            server.push.hub.post(news, to: tokens.map(\.key))
        }
        if findings.fired.isEmpty { return }
        let fired = findings.fired, limit = server.configuration.userQuotas.subscriptions
        let hints: [[StoredHint]]
        do {
            hints = try await server.storage.read { reading in
                try fired.map { try $0.tokens.first.map { try reading.hints(for: $0, limit: limit) } ?? [] }
            }
        } catch {
            // These devices are told at their next poll, since it finds no mailbox.
            server.push.hub.close(fired.flatMap { $0.tokens.map(\.key) })
            throw error
        }
        for (fired, subscriptions) in zip(fired, hints) {
            guard let token = fired.tokens.first else { continue }
            let due: [PushNotification] = subscriptions.compactMap { subscription in
                let key = subscription.subscription.subscriptionID
                return fired.subscriptions[key].map { hint(subscription, token, isLast: $0 == 1) }
            }
            server.push.hub.post(MailboxNews(due), to: fired.tokens.map(\.key))
        }
    }
}
