/// Collects broken invariants as messages.
struct BrokenInvariants {
    private(set) var messages: [String] = []

    /// Notes `message` unless `condition` holds.
    mutating func require(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { messages.append(message()) }
    }

    /// Adds the messages of another check.
    mutating func add(_ others: [String]) { messages += others }
}
