/// A database of a container on the server, in CloudKit's words: each user has a private one, and one of what others
/// share with that user.
public enum SyncDatabase: String, Sendable, Hashable, CaseIterable {
    /// The user's own zones.
    case `private`
    /// The zones that others share with the user. Each zone is its owner's: the store makes none, and is empty until a
    /// share is accepted (``SyncController/acceptShare(at:)``).
    case shared
}

extension SyncDatabase {
    /// Whether the store has a zone of its own there, in which everything is unless something else is said.
    var hasMainZone: Bool { self == .private }

    /// The database of the scope that a store remembers, see ``SyncOptions/scope``.
    init(ofScope scope: String) {
        // Behind the server, the container, its environment and the zone.
        let parts = scope.split(separator: " ")
        self = parts.count == 5 ? parts.last.flatMap { Self(rawValue: String($0)) } ?? .private : .private
    }

    /// The number of the database in notifications of CloudKit Web Services.
    var scope: Int {
        switch self {
        case .private: 2
        case .shared: 3
        }
    }
}
