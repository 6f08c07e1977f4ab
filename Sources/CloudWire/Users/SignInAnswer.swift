/// Body of the answer of `auth/oidc`: the token of the user.
public struct SignInAnswer: Sendable, Hashable {
    /// The user's token, for `ckWebAuthToken` or `Authorization: Bearer`.
    public var ckWebAuthToken: String
    /// The record name of the user.
    public var userRecordName: String

    /// Creates an answer for a user who has signed in.
    public init(ckWebAuthToken: String, userRecordName: String) {
        self.ckWebAuthToken = ckWebAuthToken
        self.userRecordName = userRecordName
    }
}

extension SignInAnswer: WireObject {
    static var blank: Self { Self(ckWebAuthToken: "", userRecordName: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.opaque("ckWebAuthToken", &ckWebAuthToken, else: "the answer to a sign-in has a ckWebAuthToken")
        keys.value("userRecordName", &userRecordName, else: "the answer to a sign-in has a userRecordName")
    }
}
