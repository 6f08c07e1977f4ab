import BackstitchSupport

/// The kinds of tokens, as administrators name them.
package enum TokenKind: String, Codable, Sendable, CaseIterable {
    /// A user's token.
    case user
    /// A program's token, which all who have the program share.
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
