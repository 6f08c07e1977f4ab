/// A database of a container on the server, in CloudKit's words: each user has a private one, and one of what others
/// share with that user; the public one is there once, for all.
public enum SyncDatabase: String, Sendable, Hashable, CaseIterable {
    /// The user's own zones.
    case `private`
    /// The zones that others share with the user. Each zone is its owner's: the store makes none, and is empty until a
    /// share is accepted (``SyncController/acceptShare(at:)``).
    case shared
    /// The database of all users, in one zone. The store holds what it follows of it (``SyncController/follow(_:)``),
    /// and what is made here; the server's rights by roles say who may change what.
    case `public`
}

extension SyncDatabase {
    /// Whether the store has a zone of its own there, in which everything is unless something else is said.
    var hasMainZone: Bool { self != .shared }

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
        case .public: 1
        }
    }
}
