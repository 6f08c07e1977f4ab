/// The operations of the wire, in the form of the end of a path.
package enum WireEndpoint: String, Sendable, Hashable, CaseIterable {
    case zonesList = "zones/list"
    case zonesLookup = "zones/lookup"
    case zonesModify = "zones/modify"
    case zonesChanges = "zones/changes"
    case recordsModify = "records/modify"
    case recordsQuery = "records/query"
    case recordsLookup = "records/lookup"
    case recordsChanges = "records/changes"
    case recordsResolve = "records/resolve"
    case recordsAccept = "records/accept"
    case changesDatabase = "changes/database"
    case changesZone = "changes/zone"
    /// Extension: the changes of the public database that concern some queries.
    case changesQuery = "changes/query"
    case assetsUpload = "assets/upload"
    case assetsRereference = "assets/rereference"
    case subscriptionsList = "subscriptions/list"
    case subscriptionsLookup = "subscriptions/lookup"
    case subscriptionsModify = "subscriptions/modify"
    case usersCaller = "users/caller"
    case usersCurrent = "users/current"
    case usersDiscover = "users/discover"
    case usersLookupEmail = "users/lookup/email"
    case usersLookupID = "users/lookup/id"
    case usersLookupContacts = "users/lookup/contacts"
    case tokensCreate = "tokens/create"
    case tokensRegister = "tokens/register"
    /// Extension: ends the caller's push tokens with a certain name (``PushToken/clientId``).
    case tokensUnregister = "tokens/unregister"

    /// True for the operations below `/device` instead of `/database`.
    package var isDevice: Bool { self == .tokensCreate || self == .tokensRegister || self == .tokensUnregister }

    /// The HTTP method of this operation.
    package var method: String {
        switch self {
        case .zonesList, .subscriptionsList, .usersCaller, .usersCurrent, .usersLookupContacts: "GET"
        default: "POST"
        }
    }

    /// The path of this operation, to be added to a server's address.
    ///
    /// - Parameters:
    ///   - container: the name of the container, for instance `iCloud.org.example.notes`.
    ///   - environment: `development` or `production`.
    ///   - database: `private`, `public` or `shared`. Device operations have none.
    package func path(container: String, environment: String, database: String = "private") -> String {
        isDevice
            ? "/device/1/\(container)/\(environment)/\(rawValue)"
            : "/database/1/\(container)/\(environment)/\(database)/\(rawValue)"
    }
}
