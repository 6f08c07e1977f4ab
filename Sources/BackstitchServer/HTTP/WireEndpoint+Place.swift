import CloudWire
import HTTPTypes

extension WireEndpoint {
    /// The databases that this operation applies to. Operations of devices name no database, and apply to all.
    var databases: [DatabaseScope] {
        switch self {
        // A guest leaves a share by deleting its zone.
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

    /// Whether the operation is about users. A server-to-server key is not a user.
    var isAboutUsers: Bool {
        switch self {
        case .usersCaller, .usersCurrent, .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts,
            .recordsResolve, .recordsAccept:
            true
        default: false
        }
    }

    /// Whether the operation answers to GET. All answer to POST.
    var answersToGet: Bool { method == "GET" || self == .usersDiscover }

    /// Checks the method and the database of a call.
    ///
    /// - Throws: BAD_REQUEST for a method or a database that the operation does not support.
    func checkPlace(_ method: HTTPRequest.Method, _ scope: DatabaseScope) throws(WireError) {
        guard method == .post || method == .get && answersToGet else {
            throw WireError(.badRequest, "\(rawValue) does not answer to \(method.rawValue)")
        }
        guard databases.contains(scope) else { throw WireError.notApplicable(in: scope) }
    }
}

extension WireError {
    /// The error of an operation or item without a meaning in the database.
    static func notApplicable(in scope: DatabaseScope) -> WireError {
        WireError(.badRequest, "endpoint not applicable in the database type '\(scope.wireName)'")
    }
}
