import BackstitchSupport

/// The users named by other servers since the last look. Any number may be named during a slow look. One more look
/// covers all of them.
final class ReportedUsers: Sendable {
    /// Most users kept by name. Beyond that, all users are meant.
    static let limit = 10_000

    private enum Gathered {
        case named(Set<String>)
        case all
    }

    private let gathered = Locked(Gathered.named([]))

    /// Adds users; nil means all of them.
    ///
    /// - Returns: Whether there is any user to look for.
    func add(_ users: Set<String>?) -> Bool {
        gathered.withLock { gathered in
            guard case .named(let known) = gathered else { return true }
            let union = users.map(known.union)
            gathered = union.flatMap { $0.count > Self.limit ? nil : .named($0) } ?? .all
            return union?.isEmpty != true
        }
    }

    /// Takes the gathered users; nil means all of them.
    func take() -> Set<String>? {
        gathered.withLock { gathered in
            defer { gathered = .named([]) }
            guard case .named(let users) = gathered else { return nil }
            return users
        }
    }
}
