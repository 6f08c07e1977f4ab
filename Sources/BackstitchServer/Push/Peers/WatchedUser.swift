/// The push tokens of a user with a mailbox, and the states of subscriptions last told to them.
///
/// The tokens share these states. If a token was told less, its difference is noted separately. For
/// example, the device that made a change is not told of it.
struct WatchedUser {
    private(set) var tokens: [PushTokenKey: StoredPushToken] = [:]
    private var told: [StoredWatch.Key: StoredWatch.Head] = [:]
    /// For each token told less, the states it was told last; nil for a subscription unknown to it.
    private var behind: [PushTokenKey: [StoredWatch.Key: StoredWatch.Head?]] = [:]

    var isEmpty: Bool { tokens.isEmpty }

    /// The states told to a token. Complexity: O(1) for a token without a difference.
    private func told(_ token: PushTokenKey) -> [StoredWatch.Key: StoredWatch.Head] {
        guard let differences = behind[token] else { return told }
        var told = told
        for (key, head) in differences { told[key] = head }
        return told
    }

    /// Adds a token with its current state.
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

    /// Notes that some tokens were told the states of subscriptions. Complexity: O(*t* + *s*) for *t* tokens and *s*
    /// subscriptions, if few tokens were told less.
    ///
    /// - Parameter states: The head is nil for a removed subscription. The ordinal is nil for a subscription without a
    ///   count of its firings.
    mutating func note(
        _ states: [(key: StoredWatch.Key, head: StoredWatch.Head?, ordinal: Int64?)], to heard: Set<PushTokenKey>
    ) {
        let missed = tokens.keys.filter { !heard.contains($0) }
        for state in states {
            var head = state.head
            if let ordinal = state.ordinal {
                // If another server's firing lies between, the next look tells of it, and of this one again.
                guard told[state.key]?.firings ?? 0 == ordinal - 1 else { continue }
                head?.firings = ordinal
            }
            for token in missed where behind[token]?[state.key] == nil {
                behind[token, default: [:]][state.key] = .some(told[state.key])
            }
            told[state.key] = head
            // If a token has missed an earlier firing of a query, the next look tells of it.
            if state.ordinal != nil { continue }
            for token in behind.keys where heard.contains(token) { behind[token]?[state.key] = nil }
        }
    }

    /// Compares the current state with the states told to the tokens. The current one counts as told from then on.
    mutating func compare(
        _ now: [StoredWatch.Key: StoredWatch.Head], _ asked: Set<PushTokenKey>,
        _ findings: inout SubscriptionWatch.Findings
    ) {
        let others = tokens.values.filter { asked.contains($0.key) && behind[$0.key] == nil }
        Self.compare(now, told, others, &findings)
        for (token, _) in behind where asked.contains(token) {
            if let token = tokens[token] { Self.compare(now, told(token.key), [token], &findings) }
        }
        // Tokens added since keep the state they began with.
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
        // A user may have subscriptions with one name in several databases.
        if !fired.isEmpty { findings.fired.append((tokens, Dictionary(counts, uniquingKeysWith: +))) }
        for (key, head) in before where now[key] == nil {
            if head.zoneName != nil || head.firings != nil { findings.gone.append((tokens, key.id, head)) }
        }
    }
}
