import BackstitchSQL
import BackstitchSupport

/// The list of identity changes. Servers learn of each other's changes from the list.
extension ZoneSnapshot {
    /// The number of the last change of identities. It is 0 until the first account, token or container is made.
    /// Servers compare it to notice each other's changes.
    func identityRevision() throws -> Int64 {
        try one("SELECT revision FROM identity") { $0.int(0) } ?? 0
    }

    /// The changes since a revision, or nil when there are none.
    func identityChanges(after known: Int64, at now: Int64) throws -> IdentityChanges? {
        let revision = try identityRevision()
        guard revision != known else { return nil }
        let limit = IdentityLimits.changes
        let names = try all(
            "SELECT account FROM identity_change WHERE revision > \(known) ORDER BY revision LIMIT \(limit + 1)"
        ) { ByteText($0.text(0)) }
        // Some may be forgotten, and the storage may have returned to an earlier state.
        let isWhole = names.count <= limit && Int64(names.count) == revision - known
        return IdentityChanges(
            revision: revision, accounts: isWhole ? Set(names) : nil,
            hasAPITokens: try credentialCount(.api, of: "", at: now) > 0,
            containers: Set(try declaredContainers().map(\.name)))
    }
}

/// The notes of changes, and the used signatures.
extension ZoneTransaction {
    /// Blocks other writers of accounts until the transaction ends.
    ///
    /// One transaction at a time changes accounts. Such changes are rare.
    func lockIdentity() throws {
        guard hasOtherWriters else { return }
        try execute("INSERT INTO identity (\"only\", revision) VALUES (1, 0) ON CONFLICT DO NOTHING")
        _ = try one("SELECT revision FROM identity\(lock: .noKeyUpdate)") { $0.int(0) }
    }

    /// Counts a change of an account, so that other servers notice it. Call it last: it blocks other writers of
    /// accounts.
    func noteIdentityChange(of account: String, at now: Int64) throws {
        let revisions = try changed(
            """
            INSERT INTO identity ("only", revision) VALUES (1, 1)
            ON CONFLICT ("only") DO UPDATE SET revision = identity.revision + 1 RETURNING revision
            """
        ) { $0.int(0) }
        guard let revision = revisions.first else { return }
        try execute(
            "INSERT INTO identity_change (revision, account, time) VALUES (\(revision), \(account), \(now))")
    }

    /// Notes that identities exist. From then on no server admits every caller.
    func noteIdentities(at now: Int64) throws {
        if try identityRevision() == 0 { try noteIdentityChange(of: "", at: now) }
    }

    /// Removes a piece of the list of changes before `time`; false when none is left.
    ///
    /// A server that has not read the list since `time` must drop everything it remembers.
    func removeIdentityChanges(before time: Int64, limit: Int) throws -> Bool {
        try removePiece(
            of: "identity_change", key: [.integer("revision")], where: "time < \(time) ORDER BY time LIMIT \(limit)")
            == limit
    }

    /// Notes a signature as used; false if it was used before.
    func spend(_ mark: [UInt8], of key: String, until end: Int64) throws -> Bool {
        try execute(
            """
            INSERT INTO spent_signature (key, mark, ends) VALUES (\(key), \(mark), \(end)) ON CONFLICT DO NOTHING
            """) == 1
    }

    /// Removes a piece of the used signatures whose dates are no longer accepted; false when none is left.
    func removeSpentSignatures(endedBefore time: Int64, limit: Int) throws -> Bool {
        try removePiece(
            of: "spent_signature", key: [.text("key"), .bytes("mark")],
            where: "ends < \(time) ORDER BY ends LIMIT \(limit)") == limit
    }
}
