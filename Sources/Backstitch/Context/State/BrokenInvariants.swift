/// Gathers what is wrong.
struct BrokenInvariants {
    private(set) var messages: [String] = []

    /// Notes `message` unless `condition` holds.
    mutating func require(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { messages.append(message()) }
    }

    /// Notes what another found.
    mutating func add(_ others: [String]) { messages += others }
}
