/// An OpenID Connect provider whose users may sign in.
///
/// ```swift
/// configuration.signInProviders = [
///     SignInProvider(issuer: "https://accounts.example.org", clientIDs: ["notes-ios", "notes-web"])
/// ]
/// ```
///
/// The server reads the provider's discovery document, `<issuer>/.well-known/openid-configuration`, and from there its
/// keys. It needs no client secret: it only verifies tokens that the program has got.
public struct SignInProvider: Sendable, Hashable {
    /// An algorithm by which a provider signs (RFC 7518 §3.1, RFC 8037). All have a public key, so whoever verifies
    /// cannot sign; `none` and those with a shared secret are never taken.
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rs256 = "RS256"
        /// RSASSA-PKCS1-v1_5 with SHA-384.
        case rs384 = "RS384"
        /// RSASSA-PKCS1-v1_5 with SHA-512.
        case rs512 = "RS512"
        /// RSASSA-PSS with SHA-256.
        case ps256 = "PS256"
        /// RSASSA-PSS with SHA-384.
        case ps384 = "PS384"
        /// RSASSA-PSS with SHA-512.
        case ps512 = "PS512"
        /// ECDSA on P-256 with SHA-256.
        case es256 = "ES256"
        /// ECDSA on P-384 with SHA-384.
        case es384 = "ES384"
        /// ECDSA on P-521 with SHA-512.
        case es512 = "ES512"
        /// Ed25519.
        case eddsa = "EdDSA"
    }

    /// The issuer's identifier, as it stands in its tokens, to the letter: an address of https, or of http where it is
    /// on this machine.
    public var issuer: String
    /// The names under which the provider knows the program; a token must be for one of them.
    public var clientIDs: Set<String>
    /// The algorithms that are taken.
    public var algorithms: Set<Algorithm>

    /// A provider, all of whose safe algorithms are taken.
    public init(issuer: String, clientIDs: Set<String>, algorithms: Set<Algorithm> = Set(Algorithm.allCases)) {
        self.issuer = issuer
        self.clientIDs = clientIDs
        self.algorithms = algorithms
    }
}
