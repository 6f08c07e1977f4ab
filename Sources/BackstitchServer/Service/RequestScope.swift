import BackstitchSupport
import CloudWire

/// The caller of a request, the database that it is for, and the rights and limits that hold for it.
struct RequestScope: Sendable {
    var container: String
    var environment: String
    var database: DatabaseKey
    /// Record name of the caller.
    var user: String
    /// The token or key by which the caller calls; see ``Bearer/credential``.
    var credential = ""
    /// The roles that give the caller rights to records of the public database; nil in other databases, where the owner
    /// may do all.
    var roles: PublicRoles?
    /// Whether the caller's token is for changes too.
    var mayWrite: Bool
    /// The caller asked for this project's extensions.
    var extensions: Bool
    var limits: WireLimits
    /// The caller's push token, which is not told of this request's changes.
    var device: PushTokenKey?
    /// The same for a token of APNs.
    var wakeDevice: TokenDigest? = nil
    /// The caller's machine, for limits of callers without a user.
    var network = ""
    /// Where clients reach this server, without a slash at the end.
    var baseURL: String
    /// The signature of a request of a server-to-server key that changes something: it is taken once.
    var signature: SpentSignature?
    /// The token by which the caller should call from now on; nil for the one that came.
    var renewedToken: String?

    /// Where a zone of this database is.
    ///
    /// - Throws: ZONE_NOT_FOUND for a zone of another owner, which does not exist as far as this caller is concerned.
    func place(of zoneID: ZoneID?) throws(WireError) -> ZonePlace {
        guard let zoneID else {
            if database.scope == .shared { throw WireError(.badRequest, "zoneID is required in the shared database") }
            return ZonePlace(name: ZoneID.defaultZoneName)
        }
        // No zone has such a name, and not every database can be asked for it.
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

    /// The zone as answers name it.
    func zoneID(_ place: ZonePlace) -> ZoneID {
        ZoneID(
            zoneName: place.name, ownerRecordName: place.owner ?? database.owner,
            zoneType: place.isDefault ? .defaultZone : .custom)
    }

    /// The zone of a name in the caller's own database, as answers name it.
    func zoneID(_ name: String) -> ZoneID { zoneID(ZonePlace(name: name)) }

    static func zoneNotFound(_ name: String) -> WireError {
        WireError(.zoneNotFound, "Zone '\(name.shown(255))' does not exist")
    }

    /// - Throws: ACCESS_DENIED for a caller who may only read.
    func requireWriting() throws(WireError) {
        guard mayWrite else { throw Self.readsOnly }
    }

    /// - Parameter creator: The user who made the record; nil for one that is to be made.
    /// - Throws: ACCESS_DENIED where the public database does not give the caller the right.
    func require(_ right: PublicRoles.Rights, type: String?, creator: String?) throws(WireError) {
        guard let roles else { return }
        guard roles.rights(of: isNobody ? nil : user, type: type, creator: creator).contains(right) else {
            throw WireError(.accessDenied, "the public database does not let this user \(right.verb) the record")
        }
    }

    /// Stands for a caller who is nobody in particular.
    static let world = "_world"

    /// Whether the caller is nobody in particular.
    var isNobody: Bool { user.utf8.elementsEqual(Self.world.utf8) }

    /// The caller, and the token or key with which all ends that this request makes beside records.
    var bearer: Bearer { Bearer(user: user, credential: credential) }

    /// For whom the request counts. Nobody in particular is whoever calls from a machine.
    var account: String { isNobody ? "\(user) \(network)" : user }

    static var readsOnly: WireError { WireError(.accessDenied, "this token only reads; use one that may write") }

    /// The fields that answers are to have; nil for all.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" for too many.
    func fields(_ desiredKeys: [String]?) throws(WireError) -> Set<String>? {
        guard let desiredKeys else { return nil }
        guard desiredKeys.count <= Self.mostDesiredKeys else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): \(desiredKeys.count) desiredKeys, at most \(Self.mostDesiredKeys); "
                    + "leave them out to get all fields")
        }
        // No field has another name.
        return Set(desiredKeys.lazy.filter(\.isASCII))
    }

    /// Names in a list of desired keys.
    static let mostDesiredKeys = 1_024

    /// - Throws: BAD_REQUEST when a request holds more items than one request may.
    func checkCount(_ count: Int, of what: String) throws(WireError) {
        guard count <= limits.operations else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): \(count) \(what), at most \(limits.operations) a request")
        }
    }
}
