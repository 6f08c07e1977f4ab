import CloudWire

extension RequestScope {
    /// The live zone at a place.
    ///
    /// - Throws: ZONE_NOT_FOUND, or INTERNAL_ERROR if the storage fails.
    func requireZone(
        at place: ZonePlace, _ owner: StoredOwner?, _ reading: ZoneSnapshot
    ) throws(WireError) -> StoredZone {
        guard let zone = try WireError.storage({ try zone(at: place, owner, reading) }) else {
            throw Self.zoneNotFound(place.name)
        }
        return zone
    }

    /// The live zone at a place; nil if there is none, or the caller may not read it.
    ///
    /// - Parameter owner: The row of the caller's database.
    func zone(at place: ZonePlace, _ owner: StoredOwner?, _ reading: ZoneSnapshot) throws -> StoredZone? {
        guard let owner else { return nil }
        guard let zoneOwner = place.owner else {
            return try reading.zone(owner, named: place.name).flatMap { $0.state == .live ? $0 : nil }
        }
        return try reading.sharedZone(owner, user: user, of: zoneOwner, named: place.name)
    }

    /// Checks that an item of the request is possible in the caller's database.
    ///
    /// - Throws: BAD_REQUEST if it is not.
    func requireDatabase(in scopes: [DatabaseScope]) throws(WireError) {
        guard scopes.contains(database.scope) else { throw WireError.notApplicable(in: database.scope) }
    }

    /// The maximum number of items on a page.
    ///
    /// - Throws: BAD_REQUEST for a limit of zero.
    func pageLimit(_ asked: Int?) throws(WireError) -> Int {
        guard asked != 0 else { throw WireError(.badRequest, "resultsLimit must be at least 1") }
        return min(asked ?? limits.page, limits.page)
    }
}
