/// A database of a container on the server, in CloudKit's words. Each user has a private one, and a shared one with the
/// zones that others share. There is one public database for all users.
public enum SyncDatabase: String, Sendable, Hashable, CaseIterable {
    /// The user's own zones.
    case `private`
    /// The zones that others share with the user. Each zone belongs to its owner. The store creates none, and is empty
    /// until a share is accepted (``SyncSharing/accept(at:)``).
    case shared
    /// The database of all users, in one zone. The store holds the followed queries (``SyncFollowing/start(_:)``),
    /// and the objects created here. The server's rights by roles decide who may change a record.
    case `public`
}

extension SyncDatabase {
    /// Whether the store has its own main zone there, the default for new objects.
    var hasMainZone: Bool { self != .shared }

    /// Reads the database from a scope that a store has stored, see ``SyncOptions/scope``.
    init(ofScope scope: String) {
        // The scope names the server, the container, its environment and the zone before the database.
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
