import BackstitchSupport

/// The table of all requests of administrators.
package enum AdministrationRequests {
    /// A new kind of request needs a line here, and one in the tests' table of callers.
    package static let all: [any AdministrationRequest.Type] = [
        AddUser.self,
        SetUser.self,
        RemoveUser.self,
        ListUsers.self,
        AddToken.self,
        ListTokens.self,
        RevokeToken.self,
        AddServerKey.self,
        ListServerKeys.self,
        RevokeServerKey.self,
        AddContainer.self,
        ListContainers.self,
        RemoveContainer.self,
    ]

    static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })
}
