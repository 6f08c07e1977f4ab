import BackstitchSupport
import CloudWire

/// One of the three databases of a container.
enum DatabaseScope: Int, Sendable, Hashable {
    case `public` = 1
    case `private` = 2
    case shared = 3

    /// The last part of a path before the operation.
    init?(path: some StringProtocol) {
        switch path {
        case "public": self = .public
        case "private": self = .private
        case "shared": self = .shared
        default: return nil
        }
    }

    /// How error texts of the wire call it.
    var wireName: String {
        switch self {
        case .public: "publicdb"
        case .private: "privatedb"
        case .shared: "shareddb"
        }
    }
}
