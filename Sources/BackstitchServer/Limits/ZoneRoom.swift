import CloudWire

/// The number of zones that a database may still get within one request. The existing zones are counted only once. A
/// user may have thousands, and a request may make and delete hundreds while all other writers wait.
struct ZoneRoom {
    private let quotas: UserQuotas
    private var count: (live: Int, all: Int)?

    init(_ quotas: UserQuotas) { self.quotas = quotas }

    /// Takes the room for a new zone.
    ///
    /// - Parameter isNew: Whether there was no zone of this name before.
    /// - Throws: QUOTA_EXCEEDED if there are too many zones.
    mutating func take(of owner: StoredOwner, isNew: Bool, _ reading: ZoneSnapshot) throws {
        var count = try count ?? reading.zoneCount(owner)
        self.count = count
        guard count.live < quotas.zones else { throw quotas.exceeded("zones in a database", quotas.zones) }
        // Deleted zones are remembered for clients that have not heard of the deletion.
        guard count.all < 10 * quotas.zones else {
            throw quotas.exceeded("zones and deleted zones in a database", 10 * quotas.zones)
        }
        count.live += 1
        if isNew { count.all += 1 }
        self.count = count
    }

    /// Notes the deletion of a zone. It then counts twice: as a remembered zone, and as data still to be removed.
    mutating func giveBack() {
        count?.live -= 1
        count?.all += 1
    }
}
