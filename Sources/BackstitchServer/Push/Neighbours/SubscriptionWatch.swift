import BackstitchSupport

/// Remembers how far the subscriptions of the push tokens with a mailbox had come when they were last told, so that a
/// look at the storage finds what other servers have changed, whether anybody has said so or not.
///
/// That state was read before something was told, never after. So a race tells a device twice, but never not.
final class SubscriptionWatch: Sendable {
    /// The findings of a look.
    struct Findings: Sendable {
        /// Tokens with the subscriptions that fire, and how often those to queries have done it.
        var fired: [(token: StoredPushToken, subscriptions: [String: Int64])] = []
        /// Subscriptions that went with their zone, and those to queries that are gone: perhaps they fired once.
        var gone: [(token: StoredPushToken, subscriptionID: String, head: StoredWatch.Head)] = []
        /// Tokens that the storage has forgotten, or has given to another user.
        var lost: [PushTokenKey] = []
    }

    private let watched = Locked<[PushTokenKey: StoredWatch]>([:])

    /// The users whose tokens are watched, among some of them; nil for all.
    func users(among names: Set<String>?) -> [String] {
        let users = watched.withLock { Set($0.values.map(\.token.user)) }
        return Array(names.map(users.intersection) ?? users)
    }

    /// Whether any of the tokens is watched.
    func hasAny(of tokens: [PushTokenKey]) -> Bool {
        watched.withLock { watched in tokens.contains { watched[$0] != nil } }
    }

    /// Begins to watch tokens, whose mailboxes are there, unless they are watched.
    func begin(_ watches: [StoredWatch]) {
        watched.withLock { watched in
            for watch in watches where watched[watch.token.key] == nil { watched[watch.token.key] = watch }
        }
    }

    /// Notes that devices were told of a state, as far as their subscriptions fired: of others nobody was told.
    func note(_ watches: [StoredWatch], _ told: Addressees) {
        if watches.isEmpty { return }
        let watches = Dictionary(watches.map { ($0.token.key, $0) }) { first, _ in first }
        watched.withLock { watched in
            for (token, fired) in told.devices where watched[token] != nil {
                for subscription in fired {
                    let key = StoredWatch.Key(ownerID: told.ownerID, id: subscription.subscriptionID)
                    let known = watched[token]?.heads[key]?.firings ?? 0
                    // Where another server's firing lies between, the next look tells of it, and of this one again.
                    if let ordinal = subscription.ordinal, known != ordinal - 1 { continue }
                    watched[token]?.heads[key] = watches[token]?.heads[key]
                    if let ordinal = subscription.ordinal { watched[token]?.heads[key]?.firings = ordinal }
                }
            }
        }
    }

    /// Ends the watch of tokens without a mailbox.
    func keep(_ hasMailbox: (PushTokenKey) -> Bool) {
        let tokens = watched.withLock { Array($0.keys) }
        let gone = tokens.filter { !hasMailbox($0) }
        watched.withLock { watched in
            for token in gone { watched[token] = nil }
        }
    }

    /// Compares the state of all tokens of some users with that which is remembered, and remembers it instead.
    ///
    /// - Parameter tokens: The tokens that were watched before the state was read.
    func compare(_ found: [StoredWatch], tokens: [PushTokenKey]) -> Findings {
        let found = Dictionary(found.map { ($0.token.key, $0) }) { first, _ in first }
        var findings = Findings()
        watched.withLock { watched in
            for token in tokens {
                guard let before = watched[token] else { continue }
                guard let now = found[token], now.token.user == before.token.user else {
                    watched[token] = nil
                    findings.lost.append(token)
                    continue
                }
                watched[token] = now
                let fired = now.heads.filter { before.heads[$0.key] != $0.value && $0.value.firings != 0 }
                let counts = fired.map { key, head in
                    (key.id, (head.firings ?? 0) - (before.heads[key]?.firings ?? 0))
                }
                // A user may have subscriptions of one name in several databases.
                if !fired.isEmpty { findings.fired.append((now.token, Dictionary(counts, uniquingKeysWith: +))) }
                for (key, head) in before.heads where now.heads[key] == nil {
                    if head.zoneName != nil || head.firings != nil { findings.gone.append((now.token, key.id, head)) }
                }
            }
        }
        return findings
    }

    /// The tokens of some users.
    func tokens(of users: [String]) -> [PushTokenKey] {
        let users = Set(users)
        return watched.withLock { $0.values.filter { users.contains($0.token.user) }.map(\.token.key) }
    }
}
