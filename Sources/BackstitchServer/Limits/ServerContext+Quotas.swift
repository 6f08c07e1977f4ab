import Backstitch
import CloudWire

extension ServerContext {
    /// The row of the caller's database, made if it is missing.
    ///
    /// - Throws: QUOTA_EXCEEDED if the user has begun too many databases, by names of undeclared containers.
    func makeOwner(_ scope: RequestScope, _ writing: ZoneTransaction) throws -> StoredOwner {
        try makeOwner(scope.database, of: scope.user, writing)
    }

    /// The row of a database, made for a user if it is missing.
    func makeOwner(_ key: DatabaseKey, of user: String, _ writing: ZoneTransaction) throws -> StoredOwner {
        if let owner = try writing.owner(key) { return owner }
        let own = DatabaseKey(tenant: key.tenant, scope: .private, owner: user)
        // A user who begins a public database gets a private one too, so both count.
        if try writing.owner(own) == nil {
            guard try writing.privateDatabases(of: user) < configuration.userQuotas.databases else {
                throw configuration.userQuotas.exceeded("databases", configuration.userQuotas.databases)
            }
            _ = try writing.makeOwner(own, epoch: random.identifier())
        }
        return try writing.makeOwner(key, epoch: random.identifier())
    }

    /// Runs work that may add to users' data, and refuses too much of it. A user over a quota may still delete, and may
    /// change existing data if it does not grow.
    ///
    /// - Throws: QUOTA_EXCEEDED with the name of the quota. The transaction must end then.
    func keepingQuotas<Value>(
        of users: [String], in tenantID: Int64, _ reading: ZoneSnapshot, _ work: () throws -> Value
    ) throws -> Value {
        let before = try users.map { try reading.usage(tenantID: tenantID, user: $0) }
        let value = try work()
        let quotas = configuration.userQuotas
        for (user, before) in zip(users, before) {
            let after = try reading.usage(tenantID: tenantID, user: user)
            if after.records > max(quotas.records, before.records) {
                throw quotas.exceeded("records", quotas.records, of: user)
            }
            if after.bytes > max(quotas.bytes, before.bytes) {
                throw quotas.exceeded("bytes", quotas.bytes, of: user)
            }
        }
        return value
    }

    /// Forgets the oldest answers of a user with too many. Several are removed at a time, so most calls remove none.
    func trimAnswers(_ owner: StoredOwner, of user: String, _ writing: ZoneTransaction) throws {
        let quotas = configuration.userQuotas
        var usage = try writing.usage(tenantID: owner.tenantID, user: user)
        while usage.answers > quotas.keptAnswers || usage.answerBytes > quotas.keptAnswerBytes, usage.answers > 1 {
            let count = min(max(quotas.keptAnswers / 20, 1), usage.answers - 1)
            try writing.removeOldestAnswers(tenantID: owner.tenantID, user: user, count: count)
            let left = try writing.usage(tenantID: owner.tenantID, user: user)
            guard left.answers < usage.answers else { return }
            usage = left
        }
    }
}
