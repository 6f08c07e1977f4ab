import BackstitchSupport

/// A new token with its secret. The secret is shown only once.
package struct MadeToken: Codable, Sendable, Hashable {
    package var token: TokenLine
    package var secret: String
}
