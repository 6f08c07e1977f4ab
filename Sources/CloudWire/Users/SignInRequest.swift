/// Body of `auth/oidc`: a sign-in by an ID token of an OpenID Connect provider. CloudKit has no such operation.
package struct SignInRequest: Sendable, Hashable {
    /// The provider's ID token: three parts of base64url with dots between them.
    package var idToken: String
    /// The required value of the token's claim `nonce`; nil if the program gave the provider none.
    package var nonce: String?

    package init(idToken: String, nonce: String? = nil) {
        self.idToken = idToken
        self.nonce = nonce
    }
}

extension SignInRequest: WireObject {
    static var blank: Self { Self(idToken: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.opaque("idToken", &idToken, else: "a sign-in needs an idToken")
        keys.optional("nonce", &nonce)
    }
}
