import CloudWire
import HTTPTypes

extension WireEndpoint {
    /// The databases in which the operation has a meaning. Those of devices have no database, and are in each.
    var databases: [DatabaseScope] {
        switch self {
        // A guest deletes a zone of others to leave its share.
        case .zonesModify: [.private, .shared]
        case .zonesChanges, .changesDatabase, .changesZone, .recordsChanges: [.private, .shared]
        // Custom zones have feeds of their own.
        case .changesQuery: [.public]
        case .usersCaller, .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts, .recordsResolve,
            .recordsAccept:
            [.public]
        case .usersCurrent: [.public, .private]
        case .zonesList, .zonesLookup, .recordsModify, .recordsLookup, .recordsQuery, .assetsUpload, .assetsRereference,
            .subscriptionsList, .subscriptionsLookup, .subscriptionsModify, .tokensCreate, .tokensRegister,
            .tokensUnregister:
            [.public, .private, .shared]
        }
    }

    /// Whether the operation is about users, of whom a server-to-server key is none.
    var isAboutUsers: Bool {
        switch self {
        case .usersCaller, .usersCurrent, .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts,
            .recordsResolve, .recordsAccept:
            true
        default: false
        }
    }

    /// Whether the operation can be asked for by GET. All can be by POST.
    var answersToGet: Bool { method == "GET" || self == .usersDiscover }

    /// - Throws: BAD_REQUEST for a method by which the operation is not asked for, and in a database that it has no
    ///   meaning for.
    func checkPlace(_ method: HTTPRequest.Method, _ scope: DatabaseScope) throws(WireError) {
        guard method == .post || method == .get && answersToGet else {
            throw WireError(.badRequest, "\(rawValue) does not answer to \(method.rawValue)")
        }
        guard databases.contains(scope) else { throw WireError.notApplicable(in: scope) }
    }
}

extension WireError {
    /// The error of an operation, or an item, that has no meaning in a database.
    static func notApplicable(in scope: DatabaseScope) -> WireError {
        WireError(.badRequest, "endpoint not applicable in the database type '\(scope.wireName)'")
    }
}
