/// Body of `auth/oidc`: a sign-in by an ID token of an OpenID Connect provider. CloudKit has no such operation.
public struct SignInRequest: Sendable, Hashable {
    /// The ID token as the provider has given it: three parts of base64url with dots between them.
    public var idToken: String
    /// The value that the token's claim `nonce` must have; nil when the program gave the provider none.
    public var nonce: String?

    /// A sign-in by an ID token.
    public init(idToken: String, nonce: String? = nil) {
        self.idToken = idToken
        self.nonce = nonce
    }
}

/// Body of the answer of `auth/oidc`.
public struct SignInAnswer: Sendable, Hashable {
    /// The user's token, for `ckWebAuthToken` or `Authorization: Bearer`.
    public var ckWebAuthToken: String
    /// Record name of the user.
    public var userRecordName: String

    /// An answer to a user who has signed in.
    public init(ckWebAuthToken: String, userRecordName: String) {
        self.ckWebAuthToken = ckWebAuthToken
        self.userRecordName = userRecordName
    }
}

extension SignInRequest: WireObject {
    static var blank: Self { Self(idToken: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.opaque("idToken", &idToken, else: "a sign-in needs an idToken")
        keys.optional("nonce", &nonce)
    }
}

extension SignInAnswer: WireObject {
    static var blank: Self { Self(ckWebAuthToken: "", userRecordName: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.opaque("ckWebAuthToken", &ckWebAuthToken, else: "the answer to a sign-in has a ckWebAuthToken")
        keys.value("userRecordName", &userRecordName, else: "the answer to a sign-in has a userRecordName")
    }
}
