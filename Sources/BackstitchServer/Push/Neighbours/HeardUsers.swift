import BackstitchSupport

/// The users of whom other servers have told since the last look. However much is heard while a look takes its time,
/// one more look sees to all of it.
final class HeardUsers: Sendable {
    /// Users beyond which it stands for all of them.
    static let limit = 10_000

    private enum Gathered {
        case named(Set<String>)
        case all
    }

    private let gathered = Locked(Gathered.named([]))

    /// Adds users; nil stands for all.
    ///
    /// - Returns: Whether there is anybody to look for.
    func add(_ users: Set<String>?) -> Bool {
        gathered.withLock { gathered in
            guard case .named(let known) = gathered else { return true }
            let union = users.map(known.union)
            gathered = union.flatMap { $0.count > Self.limit ? nil : .named($0) } ?? .all
            return union?.isEmpty != true
        }
    }

    /// Takes all that has gathered; nil stands for all users.
    func take() -> Set<String>? {
        gathered.withLock { gathered in
            defer { gathered = .named([]) }
            guard case .named(let users) = gathered else { return nil }
            return users
        }
    }
}
