import Backstitch
import CloudWire
import Crypto
import Foundation

/// Reads unsent changes from the outbox and makes a batch of them.
struct BatchBuilder: Sendable {
    let model: SyncedModel
    let zone: String
    /// Names this store, so that no two stores' batches have one name.
    let storeIdentifier: UUID
    let limits: WireLimits
    let assets: any AssetStorage

    /// The next batch. What cannot be sent goes into quarantine at once.
    ///
    /// - Parameters:
    ///   - ceiling: Most changes of the batch, where less than the server's limit.
    ///   - excluded: Objects to leave out.
    func prepare(
        from store: any JournalingStore, ceiling: Int?, excluding excluded: Set<ObjectKey>
    ) throws -> PreparedBatch {
        let wanted = max(1, min(ceiling ?? limits.operations, limits.operations))
        return try store.writeJournal(author: SyncAuthor.name) { journal in
            let waiting = try journal.outbox(after: 0, limit: wanted + excluded.count + 1)
            let entries = waiting.filter { !excluded.contains($0.objectID.key) }
            guard !entries.isEmpty else { return PreparedBatch(batch: nil, isLast: true) }
            let chosen = Self.wholeSaves(entries, upTo: wanted)
            var draft = try BatchDraft(of: chosen, builder: self, journal: journal)
            try draft.fill()
            try block(draft.blocked, in: journal)
            if !draft.settled.isEmpty { try journal.removeOutbox(draft.settled) }
            try noteAttempt(draft.items, in: journal)
            let isLast = entries.count == chosen.count && draft.isComplete
            guard !draft.items.isEmpty else { return PreparedBatch(batch: nil, isLast: isLast, blocked: draft.changes) }
            let token = try journal.text(for: SyncMetadata.token)
            let batch = PushBatch(
                items: draft.items, idempotencyKey: idempotencyKey(of: draft.items, token), token: token)
            return PreparedBatch(batch: batch, isLast: isLast, blocked: draft.changes)
        }
    }

    /// The oldest entries, as many as there may be, without those of a save that would be torn; of a save that is larger than a batch
    /// as many as there may be.
    private static func wholeSaves(_ entries: [OutboxEntry], upTo wanted: Int) -> [OutboxEntry] {
        guard entries.count > wanted else { return entries }
        let torn = entries[wanted].sequence
        let whole = entries.prefix(wanted).prefix { $0.sequence != torn }
        return Array(whole.isEmpty ? entries.prefix(wanted) : whole)
    }

    private func block(_ blocked: [(OutboxEntry, String)], in journal: any JournalWriting) throws {
        guard !blocked.isEmpty else { return }
        try journal.putOutbox(
            blocked.map { entry, reason in
                var entry = entry
                entry.blockedReason = reason
                return entry
            })
    }

    /// Notes durably, before anything is sent, what may reach the server.
    private func noteAttempt(_ items: [PushItem], in journal: any JournalWriting) throws {
        let inserts = items.filter { $0.entry.kind == .insert }
        if let newest = inserts.map(\.entry.firstSequence).max() {
            if try newest > journal.number(for: SyncMetadata.attempted) ?? 0 {
                try journal.setNumber(newest, for: SyncMetadata.attempted)
            }
            var unanswered = try journal.unansweredInserts()
            unanswered.add(inserts.filter { !$0.mayHaveArrived }.map(\.entry.objectID.key))
            try journal.setMetadata(unanswered.data, for: SyncMetadata.unanswered)
        }
        // Of an insert what was changed after it: the bases of such fields are older than what is sent now.
        let updates = items.filter { !$0.pushed.isEmpty }
        guard !updates.isEmpty else { return }
        var pushes = try journal.inFlightPushes()
        for item in updates { pushes.add(item.pushed.mapValues(FieldDigest.init), for: item.entry.objectID.key) }
        try journal.setMetadata(pushes.data, for: SyncMetadata.inFlight)
    }

    /// Made of this store, the token (so that news from the server make it another attempt), each entry's sequence and
    /// what is sent.
    private func idempotencyKey(of items: [PushItem], _ token: String?) -> String {
        var hash = SHA256()
        hash.update(data: Data(storeIdentifier.uuidString.utf8))
        hash.update(data: Data((token ?? "").utf8))
        for item in items {
            let operation = item.operation
            let head = [
                operation.operationType.rawValue, operation.record.recordName, operation.record.recordChangeTag ?? "",
                String(item.entry.sequence),
            ]
            hash.update(data: Data(head.joined(separator: "\u{0}").utf8))
            if let fields = operation.record.encodedFields { hash.update(data: fields) }
            for (key, asset) in item.assets.sorted(by: { $0.key < $1.key }) {
                hash.update(data: Data("\(key)\u{0}\(asset.text)".utf8))
            }
        }
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: hash.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
