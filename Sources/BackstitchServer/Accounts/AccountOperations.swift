import CloudWire

/// The caller and other users, the accounts of the storage, and the sign-in to them.
struct AccountOperations: Sendable {
    let server: ServerContext
    /// The sign-in by OpenID Connect; nil if no provider is configured.
    let signIn: SignIn?

    /// `users/caller`: the caller, with name and address, and with extensions its rights in the public database.
    func caller(_ scope: RequestScope) async throws -> CallerResponse {
        let roles = scope.extensions ? scope.roles : nil
        return CallerResponse(
            user: try await server.users.caller(scope.user), publicRights: roles?.wireRights(of: scope.user))
    }

    /// `users/current`: the caller's record name, first name and last name.
    func current(_ scope: RequestScope) async throws -> CurrentUser {
        let name = try await server.users.caller(scope.user).nameComponents
        return CurrentUser(userRecordName: scope.user, firstName: name.givenName, lastName: name.familyName)
    }

    /// `users/discover`. Without users to look for, it asks for those in the caller's address book. The server has no
    /// address books, so it finds none.
    func discover(_ request: UsersDiscoverRequest, _ scope: RequestScope) async throws -> UsersResponse {
        try await find(request.lookupInfos ?? [], scope)
    }

    /// `users/lookup/email`. Record names are ignored here.
    func lookUpByAddress(_ request: UsersLookupRequest, _ scope: RequestScope) async throws -> UsersResponse {
        try await find(
            request.users.map { user in
                var info = UserLookupInfo()
                info.emailAddress = user.emailAddress
                return info
            }, scope)
    }

    /// `users/lookup/id`. Addresses are ignored here.
    func lookUpByName(_ request: UsersLookupRequest, _ scope: RequestScope) async throws -> UsersResponse {
        try await find(
            request.users.map { user in
                var info = UserLookupInfo()
                info.userRecordName = user.userRecordName
                return info
            }, scope)
    }

    /// The users found by a lookup, after a check of its size.
    private func find(_ infos: [UserLookupInfo], _ scope: RequestScope) async throws -> UsersResponse {
        try scope.checkCount(infos.count, of: "users")
        return UsersResponse(users: try await server.users.find(infos, for: scope.user))
    }
}
