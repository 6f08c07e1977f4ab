import Foundation
import GRDB

extension SQLiteTransaction {
    func answer(_ owner: StoredOwner, user: String, key: String) throws -> StoredAnswer? {
        try one(
            """
            SELECT body_digest, response, created FROM answer
            WHERE tenant_id = ? AND owner_id = ? AND user = ? AND key = ?
            """, [owner.tenantID, owner.ownerID, user, key]
        ) { StoredAnswer(bodyDigest: Array($0[0] as Data), response: Array($0[1] as Data), created: $0[2]) }
    }

    func putAnswer(_ owner: StoredOwner, user: String, key: String, _ answer: StoredAnswer) throws {
        try execute(
            """
            INSERT INTO answer (tenant_id, owner_id, user, key, body_digest, response, created)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                owner.tenantID, owner.ownerID, user, key, Data(answer.bodyDigest), Data(answer.response),
                answer.created,
            ])
    }

    func removeAnswers(createdBefore time: Int64, _ piece: RemovalPiece) throws -> Bool {
        try remove(piece, of: "answer", content: "response", "created < ? ORDER BY created", [time]) > 0
    }
}
