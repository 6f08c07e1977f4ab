/// A line with turns for users. Each user's own things keep their order. The next thing belongs to the user with the
/// longest wait for a turn.
struct TurnLine<Element: Sendable>: Sendable {
    /// Users with something in the line, in the order of their turns.
    private var turns: [String] = []
    private var things: [String: [Element]] = [:]
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element, of user: String) {
        if things[user] == nil { turns.append(user) }
        things[user, default: []].append(element)
        count += 1
    }

    /// The next thing, with its user.
    var next: (user: String, element: Element)? {
        turns.first.flatMap { user in things[user]?.first.map { (user, $0) } }
    }

    /// Removes the next thing. Complexity: O(*n*) in the number of users and in the things of one user. Quotas keep
    /// both small.
    mutating func removeNext() -> Element? {
        guard !turns.isEmpty else { return nil }
        let user = turns.removeFirst()
        guard var own = things.removeValue(forKey: user) else { return nil }
        let next = own.removeFirst()
        if !own.isEmpty {
            things[user] = own
            turns.append(user)
        }
        count -= 1
        return next
    }
}
