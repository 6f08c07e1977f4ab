import BackstitchSupport

/// Remembers the states of subscriptions last told to the push tokens with a mailbox. So a look at the storage finds
/// changes by other servers, even without a message from them.
///
/// A state is read before devices are told of it, never after. So a race may tell a device twice, but never leaves it
/// untold.
final class SubscriptionWatch: Sendable {
    /// The findings of a look. Tokens are grouped if they belong to one user and were told the same before.
    struct Findings: Sendable {
        /// Tokens with the subscriptions that fire, and the number of new firings for subscriptions to queries.
        var fired: [(tokens: [StoredPushToken], subscriptions: [String: Int64])] = []
        /// Subscriptions removed with their zone, and removed subscriptions to queries: perhaps those fired once.
        var gone: [(tokens: [StoredPushToken], subscriptionID: String, head: StoredWatch.Head)] = []
        /// Tokens forgotten by the storage, or given to another user.
        var lost: [PushTokenKey] = []
    }

    private struct State {
        var users: [StoredWatch.Holder: WatchedUser] = [:]
        /// The users of the watched tokens.
        var holders: [PushTokenKey: StoredWatch.Holder] = [:]

        mutating func end(_ token: PushTokenKey) {
            guard let holder = holders.removeValue(forKey: token) else { return }
            users[holder]?.end(token)
            if users[holder]?.isEmpty == true { users[holder] = nil }
        }
    }

    private let state = Locked(State())

    /// The users with watched tokens among these names; nil means among all.
    func users(among names: Set<String>?) -> [String] {
        let users = state.withLock { Set($0.users.keys.map(\.user.string)) }
        return Array(names.map(users.intersection) ?? users)
    }

    /// Whether any of the tokens is watched.
    func hasAny(of tokens: [PushTokenKey]) -> Bool {
        state.withLock { state in tokens.contains { state.holders[$0] != nil } }
    }

    /// Begins to watch tokens with a mailbox, unless they are watched already.
    func begin(_ watches: [StoredWatch]) {
        state.withLock { state in
            for watch in watches where state.holders[watch.token.key] == nil {
                let holder = StoredWatch.Holder(watch.token)
                state.holders[watch.token.key] = holder
                state.users[holder, default: WatchedUser()].begin(watch)
            }
        }
    }

    /// Notes the state told to devices for fired subscriptions. Nothing was told about other subscriptions.
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

    /// Compares the current state of all tokens of some users with the remembered one, and remembers the current one.
    ///
    /// - Parameter tokens: The tokens watched before the state was read.
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
