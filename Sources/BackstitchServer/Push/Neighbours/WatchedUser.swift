/// The push tokens of a user that have a mailbox, and how far their subscriptions had come when they were last told.
///
/// The tokens share that state. A token that was told less, such as the one whose device has made a change, has the
/// difference noted beside it.
struct WatchedUser {
    private(set) var tokens: [PushTokenKey: StoredPushToken] = [:]
    private var told: [StoredWatch.Key: StoredWatch.Head] = [:]
    /// The state that the other tokens were told last; nil for a subscription that they do not know.
    private var behind: [PushTokenKey: [StoredWatch.Key: StoredWatch.Head?]] = [:]

    var isEmpty: Bool { tokens.isEmpty }

    /// How far a token was told. Complexity: O(1) for a token without a difference.
    private func told(_ token: PushTokenKey) -> [StoredWatch.Key: StoredWatch.Head] {
        guard let differences = behind[token] else { return told }
        var told = told
        for (key, head) in differences { told[key] = head }
        return told
    }

    /// Takes up a token with the state of now.
    mutating func begin(_ watch: StoredWatch) {
        let key = watch.token.key
        if tokens.isEmpty { (told, behind) = (watch.heads, [:]) }
        tokens[key] = watch.token
        var differences: [StoredWatch.Key: StoredWatch.Head?] = [:]
        for (subscription, head) in watch.heads where told[subscription] != head { differences[subscription] = head }
        for subscription in told.keys where watch.heads[subscription] == nil {
            differences[subscription] = .some(nil)
        }
        behind[key] = differences.isEmpty ? nil : differences
    }

    mutating func end(_ token: PushTokenKey) {
        tokens[token] = nil
        behind[token] = nil
    }

    /// Notes that some tokens were told of the states of subscriptions. Complexity: O(*t* + *s*) for *t* tokens and *s*
    /// subscriptions, of which few tokens were told less.
    ///
    /// - Parameter states: The head is nil for a subscription that is gone, the ordinal for one that counts no firings.
    mutating func note(
        _ states: [(key: StoredWatch.Key, head: StoredWatch.Head?, ordinal: Int64?)], to heard: Set<PushTokenKey>
    ) {
        let missed = tokens.keys.filter { !heard.contains($0) }
        for state in states {
            var head = state.head
            if let ordinal = state.ordinal {
                // Where another server's firing lies between, the next look tells of it, and of this one again.
                guard told[state.key]?.firings ?? 0 == ordinal - 1 else { continue }
                head?.firings = ordinal
            }
            for token in missed where behind[token]?[state.key] == nil {
                behind[token, default: [:]][state.key] = .some(told[state.key])
            }
            told[state.key] = head
            // One that had missed an earlier firing of a query hears of it with the next look.
            if state.ordinal != nil { continue }
            for token in behind.keys where heard.contains(token) { behind[token]?[state.key] = nil }
        }
    }

    /// Compares the state of now with what the tokens were told, which it is from then on.
    mutating func compare(
        _ now: [StoredWatch.Key: StoredWatch.Head], _ asked: Set<PushTokenKey>,
        _ findings: inout SubscriptionWatch.Findings
    ) {
        let others = tokens.values.filter { asked.contains($0.key) && behind[$0.key] == nil }
        Self.compare(now, told, others, &findings)
        for (token, _) in behind where asked.contains(token) {
            if let token = tokens[token] { Self.compare(now, told(token.key), [token], &findings) }
        }
        // Tokens that have come since keep what they began with.
        let late = tokens.keys.filter { !asked.contains($0) }.map { ($0, told($0)) }
        (told, behind) = (now, [:])
        for (key, heads) in late {
            if let token = tokens[key] { begin(StoredWatch(token: token, heads: heads)) }
        }
    }

    private static func compare(
        _ now: [StoredWatch.Key: StoredWatch.Head], _ before: [StoredWatch.Key: StoredWatch.Head],
        _ tokens: [StoredPushToken], _ findings: inout SubscriptionWatch.Findings
    ) {
        if tokens.isEmpty { return }
        let fired = now.filter { before[$0.key] != $0.value && $0.value.firings != 0 }
        let counts = fired.map { key, head in (key.id, (head.firings ?? 0) - (before[key]?.firings ?? 0)) }
        // A user may have subscriptions of one name in several databases.
        if !fired.isEmpty { findings.fired.append((tokens, Dictionary(counts, uniquingKeysWith: +))) }
        for (key, head) in before where now[key] == nil {
            if head.zoneName != nil || head.firings != nil { findings.gone.append((tokens, key.id, head)) }
        }
    }
}
