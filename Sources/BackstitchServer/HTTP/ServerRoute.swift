import CloudWire

/// The table of all that the server answers to, and who may call it.
///
/// A route that is added needs a line in ``access``, and one in the tests' table of callers.
enum ServerRoute: Sendable, Hashable, CaseIterable {
    /// An operation of the wire, to which callers bring their tokens.
    case wire(WireEndpoint)
    /// An address that the server has given out, and that proves by itself what it allows; or where it tells whether it
    /// runs.
    case address(Address)

    enum Address: String, Sendable, CaseIterable {
        case upload = "assets bytes"
        case download = "assets download"
        case poll = "aps"
        case signIn = "auth/oidc"
        case health, ready
    }

    static let allCases = WireEndpoint.allCases.map(Self.wire) + Address.allCases.map(Self.address)

    /// The credentials that a call needs.
    enum Access: Sendable, Hashable {
        /// A user; in the public database nobody in particular.
        case publicReading
        /// A user.
        case reading
        /// A user's token that may write.
        case changing
        /// As ``changing``, but each item is refused on its own, in an answer that is as long as the question.
        case changingByItem
        /// The proof that is part of the address itself.
        case addressed
        /// An ID token of a provider, in the body.
        case signingIn
        /// None: everybody may know.
        case open
    }

    /// How logs call it.
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
