import CloudWire

/// The table of all routes of the server, with the credentials they need.
///
/// A new route needs a line in ``access``, and one in the tests' table of callers.
enum ServerRoute: Sendable, Hashable, CaseIterable {
    /// An operation of the wire. Callers bring their tokens.
    case wire(WireEndpoint)
    /// An address outside the wire: one given out by the server with a proof in it, the sign-in, or a check of the
    /// server's state.
    case address(Address)

    enum Address: String, Sendable, CaseIterable {
        case upload = "assets bytes"
        case download = "assets download"
        case poll = "aps"
        case signIn = "auth/oidc"
        case health, ready
    }

    static let allCases = WireEndpoint.allCases.map(Self.wire) + Address.allCases.map(Self.address)

    /// The credentials required for a call.
    enum Access: Sendable, Hashable {
        /// A user; in the public database an anonymous caller too.
        case publicReading
        /// A user, also with a read-only token.
        case reading
        /// A user's token with the right to write.
        case changing
        /// As ``changing``, but each item is refused on its own. The answer has as many items as the request.
        case changingByItem
        /// The proof in the address itself.
        case addressed
        /// An ID token of a provider, in the body.
        case signingIn
        /// None: every caller may know.
        case open
    }

    /// The name of the route in logs.
    var name: String {
        switch self {
        case .wire(let endpoint): endpoint.rawValue
        case .address(let address): address.rawValue
        }
    }

    var access: Access {
        switch self {
        case .wire(let endpoint): endpoint.access
        case .address(.health), .address(.ready): .open
        case .address(.signIn): .signingIn
        case .address: .addressed
        }
    }
}

extension WireEndpoint {
    var access: ServerRoute.Access {
        switch self {
        case .recordsQuery, .recordsLookup, .zonesList, .zonesLookup, .changesQuery: .publicReading
        case .recordsChanges, .changesDatabase, .changesZone, .zonesChanges, .subscriptionsList, .subscriptionsLookup,
            .usersCaller, .usersCurrent, .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts,
            .recordsResolve:
            .reading
        case .recordsAccept, .assetsUpload, .assetsRereference, .tokensCreate, .tokensRegister, .tokensUnregister:
            .changing
        case .recordsModify, .zonesModify, .subscriptionsModify: .changingByItem
        }
    }
}
