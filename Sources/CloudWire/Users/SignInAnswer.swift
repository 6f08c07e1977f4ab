/// Body of the answer of `auth/oidc`: the token of the user.
package struct SignInAnswer: Sendable, Hashable {
    /// The user's token, for `ckWebAuthToken` or `Authorization: Bearer`.
    package var ckWebAuthToken: String
    /// The record name of the user.
    package var userRecordName: String

    /// Creates an answer for a user who has signed in.
    package init(ckWebAuthToken: String, userRecordName: String) {
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
