import CloudWire

/// How many zones a database may still get within one request. They are counted once, since a user may have thousands,
/// and a request make and delete hundreds while all other writers wait.
struct ZoneRoom {
    private let quotas: UserQuotas
    private var count: (live: Int, all: Int)?

    init(_ quotas: UserQuotas) { self.quotas = quotas }

    /// Takes the room of a zone that is made.
    ///
    /// - Parameter isNew: Whether there was none of its name before.
    /// - Throws: QUOTA_EXCEEDED when one more would be too many.
    mutating func take(of owner: StoredOwner, isNew: Bool, _ reading: any ZoneReading) throws {
        var count = try count ?? reading.zoneCount(owner)
        self.count = count
        guard count.live < quotas.zones else { throw quotas.exceeded("zones in a database", quotas.zones) }
        // Zones that were deleted are remembered for those who have not heard of it.
        guard count.all < 10 * quotas.zones else {
            throw quotas.exceeded("zones and deleted zones in a database", 10 * quotas.zones)
        }
        count.live += 1
        if isNew { count.all += 1 }
        self.count = count
    }

    /// Notes that a zone was deleted, which goes on as one that is remembered, beside what is still to be removed of
    /// it.
    mutating func giveBack() {
        count?.live -= 1
        count?.all += 1
    }
}
