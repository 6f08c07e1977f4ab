import BackstitchSupport
import CloudWire

/// One of the three databases of a container. The numbers are stored in the table of owners.
enum DatabaseScope: Int, Sendable, Hashable {
    case `public` = 1
    case `private` = 2
    case shared = 3

    /// Reads the last part of a path before the operation.
    init?(path: some StringProtocol) {
        switch path {
        case "public": self = .public
        case "private": self = .private
        case "shared": self = .shared
        default: return nil
        }
    }

    /// The name of the database in error texts of the wire.
    var wireName: String {
        switch self {
        case .public: "publicdb"
        case .private: "privatedb"
        case .shared: "shareddb"
        }
    }
}
