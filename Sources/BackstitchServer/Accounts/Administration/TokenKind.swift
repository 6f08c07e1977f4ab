import BackstitchSupport

/// The kinds of tokens, as administrators name them.
package enum TokenKind: String, Codable, Sendable, CaseIterable {
    /// A web auth token: it proves a user.
    case user
    /// An API token: it belongs to a program, and all users of the program share it.
    case api
    /// A token for the administration.
    case administrator

    var stored: StoredCredential.Kind {
        switch self {
        case .user: .web
        case .api: .api
        case .administrator: .administrator
        }
    }
}
