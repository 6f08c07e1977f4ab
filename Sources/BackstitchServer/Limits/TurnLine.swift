/// A line in which users take turns: each one's own things keep their order, and the next thing is that of the user who
/// has waited for a turn for longest.
struct TurnLine<Element: Sendable>: Sendable {
    /// Users who have something in the line, in the order of their turns.
    private var turns: [String] = []
    private var things: [String: [Element]] = [:]
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element, of user: String) {
        if things[user] == nil { turns.append(user) }
        things[user, default: []].append(element)
        count += 1
    }

    /// The next thing, and whose it is.
    var next: (user: String, element: Element)? {
        turns.first.flatMap { user in things[user]?.first.map { (user, $0) } }
    }

    /// Complexity: O(*n*) in the users and in the things of one, which quotas keep few.
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
