import BackstitchSupport
import CloudWire

/// The caller of a request and its database, with the caller's rights and limits.
struct RequestScope: Sendable {
    var container: String
    var environment: String
    var database: DatabaseKey
    /// The record name of the caller.
    var user: String
    /// The caller's token or key; see ``Bearer/credential``.
    var credential = ""
    /// The roles that decide the caller's rights in the public database; nil in other databases. There the owner may do
    /// everything.
    var roles: PublicRoles?
    /// Whether the caller's token also allows changes.
    var mayWrite: Bool
    /// Whether the caller asked for this project's extensions of the wire.
    var extensions: Bool
    var limits: WireLimits
    /// The caller's push token. It gets no notification of this request's changes.
    var device: PushTokenKey?
    /// The same for a token of APNs, by its digest.
    var wakeDevice: TokenDigest? = nil
    /// The network address of the caller's machine, for the limits of callers without a user.
    var network = ""
    /// The address of this server for clients, without a slash at the end.
    var baseURL: String
    /// The signature of a changing request with a server-to-server key. It is accepted only once.
    var signature: SpentSignature?
    /// The token for the caller's further requests; nil to keep the present one.
    var renewedToken: String?

    /// The place of a zone of this database.
    ///
    /// - Throws: ZONE_NOT_FOUND for a zone of another owner. For this caller it does not exist.
    func place(of zoneID: ZoneID?) throws(WireError) -> ZonePlace {
        guard let zoneID else {
            if database.scope == .shared { throw WireError(.badRequest, "zoneID is required in the shared database") }
            return ZonePlace(name: ZoneID.defaultZoneName)
        }
        // No zone has such a name, and some databases refuse it in a query.
        guard !zoneID.zoneName.utf8.contains(0), zoneID.ownerRecordName?.utf8.contains(0) != true else {
            throw Self.zoneNotFound(zoneID.zoneName)
        }
        if database.scope == .shared {
            guard let owner = zoneID.ownerRecordName, !zoneID.isDefault else {
                throw Self.zoneNotFound(zoneID.zoneName)
            }
            return ZonePlace(owner: owner, name: zoneID.zoneName)
        }
        let names = [database.owner, DatabaseKey.publicOwner, "__defaultOwner__"]
        let isOwn = zoneID.ownerRecordName.map { owner in
            names.contains { $0.utf8.elementsEqual(owner.utf8) }
        }
        guard isOwn ?? true else { throw Self.zoneNotFound(zoneID.zoneName) }
        guard database.scope != .public || zoneID.isDefault else { throw Self.zoneNotFound(zoneID.zoneName) }
        return ZonePlace(name: zoneID.zoneName)
    }

    /// The zone's id in answers.
    func zoneID(_ place: ZonePlace) -> ZoneID {
        ZoneID(
            zoneName: place.name, ownerRecordName: place.owner ?? database.owner,
            zoneType: place.isDefault ? .defaultZone : .custom)
    }

    /// The id, in answers, of a zone in the caller's own database.
    func zoneID(_ name: String) -> ZoneID { zoneID(ZonePlace(name: name)) }

    /// The error for a zone that is missing, or hidden from the caller.
    static func zoneNotFound(_ name: String) -> WireError {
        WireError(.zoneNotFound, "Zone '\(name.shown(255))' does not exist")
    }

    /// Checks that the caller may change something.
    ///
    /// - Throws: ACCESS_DENIED for a caller who may only read.
    func requireWriting() throws(WireError) {
        guard mayWrite else { throw Self.readsOnly }
    }

    /// Checks the caller's right to a record of the public database.
    ///
    /// - Parameter creator: The user who made the record; nil for a new record.
    /// - Throws: ACCESS_DENIED if the roles do not give the caller the right.
    func require(_ right: PublicRoles.Rights, type: String?, creator: String?) throws(WireError) {
        guard let roles else { return }
        guard roles.rights(of: isNobody ? nil : user, type: type, creator: creator).contains(right) else {
            throw WireError(.accessDenied, "the public database does not let this user \(right.verb) the record")
        }
    }

    /// The user name of all callers without a user.
    static let world = "_world"

    /// Whether the caller has no user.
    var isNobody: Bool { user.utf8.elementsEqual(Self.world.utf8) }

    /// The caller with its token or key. Push tokens, devices and addresses made by this request end with it.
    var bearer: Bearer { Bearer(user: user, credential: credential) }

    /// The account charged for the request: the user, or the machine of a caller without a user.
    var account: String { isNobody ? "\(user) \(network)" : user }

    /// The error for a change by a caller who may only read.
    static var readsOnly: WireError { WireError(.accessDenied, "this token only reads; use one that may write") }

    /// The fields to include in answers; nil for all.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" for too many names.
    func fields(_ desiredKeys: [String]?) throws(WireError) -> Set<String>? {
        guard let desiredKeys else { return nil }
        guard desiredKeys.count <= Self.mostDesiredKeys else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): \(desiredKeys.count) desiredKeys, at most \(Self.mostDesiredKeys); "
                    + "leave them out to get all fields")
        }
        // Field names are always ASCII, so other names match nothing.
        return Set(desiredKeys.lazy.filter(\.isASCII))
    }

    /// The maximum number of names in a list of desired keys.
    static let mostDesiredKeys = 1_024

    /// Checks the number of items in a request.
    ///
    /// - Throws: BAD_REQUEST if the request has more items than one request may have.
    func checkCount(_ count: Int, of what: String) throws(WireError) {
        guard count <= limits.operations else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): \(count) \(what), at most \(limits.operations) a request")
        }
    }
}
