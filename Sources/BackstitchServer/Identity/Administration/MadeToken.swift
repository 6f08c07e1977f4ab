import BackstitchSupport

/// A token that was made, with its secret: nobody sees that again.
package struct MadeToken: Codable, Sendable, Hashable {
    package var token: TokenLine
    package var secret: String
}
