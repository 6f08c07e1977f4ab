/// An OpenID Connect provider whose users may sign in.
///
/// ```swift
/// configuration.signInProviders = [
///     SignInProvider(issuer: "https://accounts.example.org", clientIDs: ["notes-ios", "notes-web"])
/// ]
/// ```
///
/// The server reads the provider's discovery document, `<issuer>/.well-known/openid-configuration`, and from there its
/// keys. It needs no client secret, since it only verifies tokens obtained by the program.
public struct SignInProvider: Sendable, Hashable {
    /// A provider's algorithm for signatures (RFC 7518 §3.1, RFC 8037). All have a public key, so a verifier cannot
    /// sign. `none` and algorithms with a shared secret are never accepted.
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// RSASSA-PKCS1-v1_5 signatures with SHA-256.
        case rs256 = "RS256"
        /// RSASSA-PKCS1-v1_5 signatures with SHA-384.
        case rs384 = "RS384"
        /// RSASSA-PKCS1-v1_5 signatures with SHA-512.
        case rs512 = "RS512"
        /// RSASSA-PSS signatures with SHA-256.
        case ps256 = "PS256"
        /// RSASSA-PSS signatures with SHA-384.
        case ps384 = "PS384"
        /// RSASSA-PSS signatures with SHA-512.
        case ps512 = "PS512"
        /// ECDSA on P-256 with SHA-256.
        case es256 = "ES256"
        /// ECDSA on P-384 with SHA-384.
        case es384 = "ES384"
        /// ECDSA on P-521 with SHA-512.
        case es512 = "ES512"
        /// EdDSA on the curve Ed25519.
        case eddsa = "EdDSA"
    }

    /// The issuer's identifier, exactly as in its tokens. It is an https address, or an http address on this machine.
    public var issuer: String
    /// The client IDs of the program at the provider. A token must be for one of them.
    public var clientIDs: Set<String>
    /// The algorithms accepted in the provider's tokens.
    public var algorithms: Set<Algorithm>

    /// Creates a provider. Unless given, all safe algorithms are accepted.
    public init(issuer: String, clientIDs: Set<String>, algorithms: Set<Algorithm> = Set(Algorithm.allCases)) {
        self.issuer = issuer
        self.clientIDs = clientIDs
        self.algorithms = algorithms
    }
}
