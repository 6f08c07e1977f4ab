import CloudWire

/// Who asks, for which database, and what holds for the request.
struct RequestScope: Sendable {
    var container: String
    var environment: String
    var database: DatabaseKey
    /// Record name of the caller.
    var user: String
    /// Whether the caller's token is for changes too.
    var mayWrite: Bool
    /// The caller asked for this project's extensions.
    var extensions: Bool
    var limits: WireLimits
    /// The caller's push token, which is not told of this request's changes.
    var device: PushTokenKey?
    /// Where clients reach this server, without a slash at the end.
    var baseURL: String

    /// The name of a zone of this database.
    ///
    /// - Throws: ZONE_NOT_FOUND for a zone of another owner, which does not exist as far as this caller is concerned.
    func zoneName(_ zoneID: ZoneID?) throws(WireError) -> String {
        guard let zoneID else {
            if database.scope == .shared { throw WireError(.badRequest, "zoneID is required in the shared database") }
            return ZoneID.defaultZoneName
        }
        let names = [database.owner, DatabaseKey.publicOwner, "__defaultOwner__"]
        let isOwn = zoneID.ownerRecordName.map { owner in
            names.contains { $0.utf8.elementsEqual(owner.utf8) }
        }
        guard database.scope != .shared, isOwn ?? true else { throw Self.zoneNotFound(zoneID.zoneName) }
        guard database.scope != .public || zoneID.isDefault else { throw Self.zoneNotFound(zoneID.zoneName) }
        return zoneID.zoneName
    }

    /// The zone as answers name it.
    func zoneID(_ name: String) -> ZoneID {
        ZoneID(
            zoneName: name, ownerRecordName: database.owner,
            zoneType: name == ZoneID.defaultZoneName ? .defaultZone : .custom)
    }

    static func zoneNotFound(_ name: String) -> WireError {
        WireError(.zoneNotFound, "Zone '\(name.prefix(255))' does not exist")
    }

    /// - Throws: ACCESS_DENIED for a caller who may only read.
    func requireWriting() throws(WireError) {
        guard mayWrite else { throw WireError(.accessDenied, "this token only reads; use one that may write") }
    }

    /// - Throws: BAD_REQUEST when a request holds more items than one request may.
    func checkCount(_ count: Int, of what: String) throws(WireError) {
        guard count <= limits.operations else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): \(count) \(what), at most \(limits.operations) a request")
        }
    }
}
