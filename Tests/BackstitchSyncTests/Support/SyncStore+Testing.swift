import Backstitch
import TestSupport

@testable import BackstitchSync

extension SyncStore {
    /// Puts something in the place of the zone's token.
    func setToken(_ token: String) throws {
        try backing.writeJournal(author: "test") { try $0.set(.token, to: token) }
    }

    /// Whether everything of the main zone is being read again.
    func isReadingAll() throws -> Bool { try backing.readJournal { try $0.isReadingAll() } }

    /// Puts an object's unsent change into quarantine, as the server's refusal would.
    func block(_ id: ObjectID, _ reason: String) throws {
        try backing.writeJournal(author: "test") { journal in
            guard var entry = try journal.outbox(for: [id.key])[id.key] else { return }
            entry.blockedReason = reason
            try journal.putOutbox([entry])
        }
    }
}
