import BackstitchSQL

/// The counted usage of users, and the number of their databases and zones.
extension ZoneSnapshot {
    /// The usage of a user in a tenant. Complexity: one look-up.
    func usage(tenantID: Int64, user: String) throws -> StoredUsage {
        try one(
            """
            SELECT records, bytes, answers, answer_bytes FROM usage
            WHERE tenant_id = \(tenantID) AND "user" = \(user)
            """
        ) {
            StoredUsage(
                records: Int($0.int(0)), bytes: Int($0.int(1)), answers: Int($0.int(2)), answerBytes: Int($0.int(3)))
        } ?? StoredUsage()
    }

    /// The number of tenants with a private database of this user.
    func privateDatabases(of user: String) throws -> Int {
        try one(
            "SELECT count(*) FROM owner WHERE name = \(user) AND scope = \(DatabaseScope.private.rawValue)"
        ) { Int($0.int(0)) } ?? 0
    }

    /// The number of live zones of a database, and the number with deleted zones included.
    func zoneCount(_ owner: StoredOwner) throws -> (live: Int, all: Int) {
        try one(
            """
            SELECT count(*) FILTER (WHERE state = 0), count(*) FROM zone\(by: "zone_feed")
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID)
            """
        ) { (Int($0.int(0)), Int($0.int(1))) } ?? (0, 0)
    }
}
