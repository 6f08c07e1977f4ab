import BackstitchSupport

/// Remembers how far the subscriptions of the push tokens with a mailbox had come when they were last told, so that a
/// look at the storage finds what other servers have changed, whether anybody has said so or not.
///
/// That state was read before something was told, never after. So a race tells a device twice, but never not.
final class SubscriptionWatch: Sendable {
    /// The findings of a look. Tokens stand together that are one user's and were told the same before.
    struct Findings: Sendable {
        /// Tokens with the subscriptions that fire, and how often those to queries have done it.
        var fired: [(tokens: [StoredPushToken], subscriptions: [String: Int64])] = []
        /// Subscriptions that went with their zone, and those to queries that are gone: perhaps they fired once.
        var gone: [(tokens: [StoredPushToken], subscriptionID: String, head: StoredWatch.Head)] = []
        /// Tokens that the storage has forgotten, or has given to another user.
        var lost: [PushTokenKey] = []
    }

    private struct State {
        var users: [StoredWatch.Holder: WatchedUser] = [:]
        /// The users of the tokens that are watched.
        var holders: [PushTokenKey: StoredWatch.Holder] = [:]

        mutating func end(_ token: PushTokenKey) {
            guard let holder = holders.removeValue(forKey: token) else { return }
            users[holder]?.end(token)
            if users[holder]?.isEmpty == true { users[holder] = nil }
        }
    }

    private let state = Locked(State())

    /// The users whose tokens are watched, among some of them; nil for all.
    func users(among names: Set<String>?) -> [String] {
        let users = state.withLock { Set($0.users.keys.map(\.user.string)) }
        return Array(names.map(users.intersection) ?? users)
    }

    /// Whether any of the tokens is watched.
    func hasAny(of tokens: [PushTokenKey]) -> Bool {
        state.withLock { state in tokens.contains { state.holders[$0] != nil } }
    }

    /// Begins to watch tokens, whose mailboxes are there, unless they are watched.
    func begin(_ watches: [StoredWatch]) {
        state.withLock { state in
            for watch in watches where state.holders[watch.token.key] == nil {
                let holder = StoredWatch.Holder(watch.token)
                state.holders[watch.token.key] = holder
                state.users[holder, default: WatchedUser()].begin(watch)
            }
        }
    }

    /// Notes that devices were told of a state, as far as their subscriptions fired: of others nobody was told.
    func note(_ watches: [StoredWatch], _ told: Addressees) {
        if watches.isEmpty { return }
        let heads = Dictionary(watches.map { (StoredWatch.Holder($0.token), $0.heads) }) { first, _ in first }
        state.withLock { state in
            for devices in told.devices {
                guard let token = devices.tokens.first(where: { state.holders[$0] != nil }),
                    let holder = state.holders[token]
                else { continue }
                let heard = Set(devices.tokens)
                let states = devices.fired.map { subscription in
                    let key = StoredWatch.Key(ownerID: told.ownerID, id: subscription.subscriptionID)
                    return (key: key, head: heads[holder]?[key], ordinal: subscription.ordinal)
                }
                state.users[holder]?.note(states, to: heard)
            }
        }
    }

    /// Ends the watch of tokens without a mailbox.
    func keep(_ hasMailbox: (PushTokenKey) -> Bool) {
        let tokens = state.withLock { Array($0.holders.keys) }
        let gone = tokens.filter { !hasMailbox($0) }
        state.withLock { state in
            for token in gone { state.end(token) }
        }
    }

    /// Compares the state of all tokens of some users with that which is remembered, and remembers it instead.
    ///
    /// - Parameter tokens: The tokens that were watched before the state was read.
    func compare(_ found: [StoredWatch], tokens: [PushTokenKey]) -> Findings {
        let known = Dictionary(found.map { ($0.token.key, StoredWatch.Holder($0.token)) }) { first, _ in first }
        let heads = Dictionary(found.map { (StoredWatch.Holder($0.token), $0.heads) }) { first, _ in first }
        var findings = Findings()
        state.withLock { state in
            var asked: [StoredWatch.Holder: Set<PushTokenKey>] = [:]
            for token in tokens {
                guard let holder = state.holders[token] else { continue }
                guard known[token] == holder else {
                    state.end(token)
                    findings.lost.append(token)
                    continue
                }
                asked[holder, default: []].insert(token)
            }
            for (holder, tokens) in asked {
                state.users[holder]?.compare(heads[holder] ?? [:], tokens, &findings)
            }
        }
        return findings
    }

    /// The tokens of some users.
    func tokens(of users: [String]) -> [PushTokenKey] {
        let users = Set(users.map { ByteText($0) })
        return state.withLock { state in
            state.users.filter { users.contains($0.key.user) }.values.flatMap(\.tokens.keys)
        }
    }
}
