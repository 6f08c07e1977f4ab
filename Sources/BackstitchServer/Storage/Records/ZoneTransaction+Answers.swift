import BackstitchSQL

/// Answers that are kept for idempotency keys.
extension ZoneSnapshot {
    /// The answer kept for an idempotency key.
    func answer(_ owner: StoredOwner, user: String, key: String) throws -> StoredAnswer? {
        try one(
            """
            SELECT body_digest, response, created FROM answer
            WHERE tenant_id = \(owner.tenantID) AND owner_id = \(owner.ownerID) AND "user" = \(user) AND key = \(key)
            """
        ) { StoredAnswer(bodyDigest: $0.bytes(0), response: $0.bytes(1), created: $0.int(2)) }
    }
}

/// The writes of kept answers.
extension ZoneTransaction {
    /// Keeps the answer for an idempotency key.
    func putAnswer(_ owner: StoredOwner, user: String, key: String, _ answer: StoredAnswer) throws {
        try execute(
            """
            INSERT INTO answer (tenant_id, owner_id, "user", key, body_digest, response, created)
            VALUES (\(owner.tenantID), \(owner.ownerID), \(user), \(key), \(answer.bodyDigest), \(answer.response),
                \(answer.created))
            """)
    }

    private static let keyOfAnswer: [KeyColumn] = [
        .integer("tenant_id"), .integer("owner_id"), .text("\"user\""), .text("key"),
    ]

    /// Removes a piece of the answers older than `time`; false when none is left.
    func removeAnswers(createdBefore time: Int64, _ piece: RemovalPiece) throws -> Bool {
        try remove(
            piece, of: "answer", key: Self.keyOfAnswer, content: "response",
            "created < \(time) ORDER BY created") > 0
    }

    /// Removes the `count` oldest answers of a user.
    func removeOldestAnswers(tenantID: Int64, user: String, count: Int) throws {
        _ = try removePiece(
            of: "answer", key: Self.keyOfAnswer,
            where: "tenant_id = \(tenantID) AND \"user\" = \(user) ORDER BY created LIMIT \(count)")
    }
}
