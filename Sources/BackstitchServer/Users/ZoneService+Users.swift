import CloudWire

extension ZoneService {
    /// `users/caller`.
    func caller(_ scope: RequestScope) async throws -> CallerResponse {
        CallerResponse(user: try await users.caller(scope.user))
    }

    /// `users/current`.
    func currentUser(_ scope: RequestScope) async throws -> CurrentUser {
        let name = try await users.caller(scope.user).nameComponents
        return CurrentUser(userRecordName: scope.user, firstName: name.givenName, lastName: name.familyName)
    }

    /// `users/discover`. Without users to look for it asks for those in the caller's address book, of which the server
    /// knows none.
    func discover(_ request: UsersDiscoverRequest, _ scope: RequestScope) async throws -> UsersResponse {
        try await find(request.lookupInfos ?? [], scope)
    }

    /// `users/lookup/email`. Record names count for nothing here.
    func lookUpByAddress(_ request: UsersLookupRequest, _ scope: RequestScope) async throws -> UsersResponse {
        try await find(
            request.users.map { user in
                var info = UserLookupInfo()
                info.emailAddress = user.emailAddress
                return info
            }, scope)
    }

    /// `users/lookup/id`. Addresses count for nothing here.
    func lookUpByName(_ request: UsersLookupRequest, _ scope: RequestScope) async throws -> UsersResponse {
        try await find(
            request.users.map { user in
                var info = UserLookupInfo()
                info.userRecordName = user.userRecordName
                return info
            }, scope)
    }

    /// Those who are found.
    private func find(_ infos: [UserLookupInfo], _ scope: RequestScope) async throws -> UsersResponse {
        try scope.checkCount(infos.count, of: "users")
        return UsersResponse(users: try await users.find(infos, for: scope.user))
    }
}
