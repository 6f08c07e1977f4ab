import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// Reads unsent changes from the outbox and builds a batch.
struct BatchBuilder: Sendable {
    let model: SyncedModel
    let zone: String
    /// Identifies this store, so that the batches of two stores never have the same key.
    let storeIdentifier: UUID
    let limits: WireLimits
    let assets: any AssetStorage
    /// The rule for automatic downloads of assets.
    var automaticAssets = AutomaticAssets()
    var generation = SyncGeneration()
    /// The keys of encrypted fields; nil if the model has none.
    var ring: EncryptionKeyRing?
    /// The number of the zone in the store.
    var zoneNumber: Int64 = 0
    /// Whether objects may move from one zone to another.
    var followsMoves = false
    /// Whether the zone belongs to another user.
    var isOfOthers = false
    /// Whether the zone is that of the public database.
    var isPublic = false
    /// Whether the server refuses a record whose parent it does not have.
    var validatesParents = false
    /// The assets that are uploaded before their records; nil if none are held.
    var uploads: HeldUploads?
    /// The clock's uptime, for the age of receipts.
    var time: Int64 = 0

    /// Returns the next batch. Changes that cannot be sent are blocked at once.
    ///
    /// - Parameters:
    ///   - ceiling: The most changes of the batch, if fewer than the server's limit.
    ///   - excluded: The objects to leave out.
    ///   - onlyDeletions: Whether to leave out changes that need room on the server.
    /// - Throws: ``SyncFailure`` of the kind `superseded` if another process syncs the store by now; otherwise the
    ///   store's errors.
    func prepare(
        from store: any JournalingStore, ceiling: BatchCeiling?, excluding excluded: Set<ObjectKey>,
        onlyDeletions: Bool = false
    ) throws -> PreparedBatch {
        let prepared = try generation.write(to: store, isStep: false) { journal in
            try choose(from: journal, ceiling: ceiling, excluding: excluded, onlyDeletions: onlyDeletions)
        }
        // After a power cut the store must still know the sent changes. Otherwise another device's deletion of an
        // insert would be undone, and an older value would be sent over a newer one.
        if prepared.batch != nil { try store.makeDurable() }
        return prepared
    }

    private func choose(
        from journal: any JournalWriting, ceiling: BatchCeiling?, excluding excluded: Set<ObjectKey>,
        onlyDeletions: Bool
    ) throws -> PreparedBatch {
        if let ring { try releaseKeyless(ring, in: journal) }
        if validatesParents { try releaseBelow(in: journal) }
        let awaiting = uploads?.keys(inZone: zoneNumber) ?? []
        var excluded = excluded
        var (chosen, isAll) = try wholeSaves(below: ceiling) { count in
            let limit = onlyDeletions ? .max : count + excluded.count + awaiting.count
            return try sendable(count, from: limit, in: journal, excluding: &excluded) {
                !onlyDeletions && !awaiting.contains($0.objectID.key) || $0.kind == .delete
            }
        }
        if validatesParents, !isAll, !onlyDeletions {
            let above = try parents(
                of: chosen, limit: most(below: ceiling), excluding: excluded.union(awaiting), in: journal)
            if !above.isEmpty { chosen = above }
        }
        var isRotating = false
        if chosen.isEmpty, !onlyDeletions, let turn = try rotation(in: journal) {
            (chosen, isRotating) = (turn.entries, turn.hasMore)
        }
        guard !chosen.isEmpty else { return PreparedBatch(batch: nil, isLast: true) }
        var draft = try BatchDraft(of: chosen, beside: excluded.union(awaiting), builder: self, journal: journal)
        try draft.fill()
        // Pauses are read only if assets are sent.
        if draft.items.contains(where: { !$0.assets.isEmpty }) {
            for key in draft.hold(try TransferPauses(in: journal)) {
                try journal.setNote(.heldUpload, of: key, to: true)
            }
        }
        let heldBack = uploads.map { draft.holdBack(by: $0, awaiting: awaiting) }
        let replacement = try write(draft, to: journal)
        let isLast = isAll && draft.isComplete
        var prepared = PreparedBatch(batch: nil, isLast: isLast, blocked: draft.changes, isRotating: isRotating)
        prepared.changes = replacement.changes
        prepared.mayMissAssets = replacement.mayMissAssets
        if let heldBack { prepared.heldBack = heldBack }
        guard !draft.items.isEmpty else { return prepared }
        let position = try journal.value(of: .token)
        let token = isPublic ? try FollowPosition.feed(in: position) : position
        prepared.batch = PushBatch(
            items: draft.items, idempotencyKey: idempotencyKey(of: draft.items, token), token: token)
        return prepared
    }

    /// Returns the oldest changes that are not held back by moves.
    ///
    /// - Parameters:
    ///   - count: The number of changes to return, if there are so many.
    ///   - limit: The number of changes to read at first. If too many of them are held back, more are read.
    ///   - excluded: The objects to leave out. Those that are held back are added.
    private func sendable(
        _ count: Int, from limit: Int, in journal: any JournalReading, excluding excluded: inout Set<ObjectKey>,
        where isWanted: (OutboxEntry) -> Bool
    ) throws -> [OutboxEntry] {
        var limit = limit
        while true {
            let read = try journal.outbox(after: 0, limit: limit)
            let entries = read.filter { !excluded.contains($0.objectID.key) && isWanted($0) }
            let held = try HeldByMoves(among: entries, of: self, in: journal)
            excluded.formUnion(held.objects)
            let left = entries.filter { !held.contains($0.objectID.key) }
            guard left.count < count, read.count == limit, limit < .max else { return left }
            limit = limit > .max / 2 ? .max : limit * 2
        }
    }

    /// Writes the decisions of a draft: blocked and settled changes, keys, lost assets, and the attempts to push.
    private func write(_ draft: BatchDraft, to journal: any JournalWriting) throws -> LostAssetReplacement {
        try block(draft.blocked, in: journal)
        for (key, sealing) in draft.resealed {
            try journal.setNote(.sealing, of: SealingSubject(key), to: sealing)
        }
        for key in draft.keyless { try journal.setNote(.keyless, of: key, to: true) }
        for (key, parent) in draft.blockedBelow { try journal.setNote(.blockedBelow, of: key, to: parent) }
        if !draft.settled.isEmpty { try journal.removeOutbox(draft.settled) }
        var replacement = LostAssetReplacement(model, assets, automaticAssets)
        for (id, name, lost) in draft.lost { try replacement.replace(lost, of: id, recordName: name, in: journal) }
        try journal.forget(draft.rowless, model)
        try journal.note(draft.items.map { PushAttempt($0) })
        return replacement
    }

    /// Returns the most changes of a batch, unless a single save has more.
    private func most(below ceiling: BatchCeiling?) -> Int {
        let most = max(limits.operations, 1)
        return min(max(ceiling?.changes ?? most, 1), most)
    }

    /// Returns the oldest entries of the outbox up to the limit, and whether these are all entries. A save that would
    /// be cut at the limit is left out. A first save that alone exceeds the limit is returned up to the server's limit.
    /// If the ceiling cuts saves, it is returned up to the ceiling.
    private func wholeSaves(
        below ceiling: BatchCeiling?, read: (Int) throws -> [OutboxEntry]
    ) throws -> (chosen: [OutboxEntry], isAll: Bool) {
        let most = max(limits.operations, 1), wanted = self.most(below: ceiling)
        let entries = try read(wanted + 1)
        guard entries.count > wanted else { return (entries, true) }
        let torn = entries[wanted].sequence
        let whole = entries.prefix(wanted).prefix { $0.sequence != torn }
        if !whole.isEmpty { return (Array(whole), false) }
        if wanted == most || ceiling?.cutsSaves == true { return (Array(entries.prefix(wanted)), false) }
        return try save(torn, upTo: most, beyond: wanted, read: read)
    }

    /// Returns the entries of the outbox's first save, which has more than `known` entries, and whether these are all
    /// entries.
    private func save(
        _ sequence: Int64, upTo most: Int, beyond known: Int, read: (Int) throws -> [OutboxEntry]
    ) throws -> (chosen: [OutboxEntry], isAll: Bool) {
        var count = known
        while true {
            // The end of the save is only known after it is read.
            count = min(count * 2, most)
            let entries = try read(count + 1)
            let save = entries.prefix(count).prefix { $0.sequence == sequence }
            if count == most || save.count < count || entries.count == count {
                return (Array(save), save.count == entries.count)
            }
        }
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

    /// Returns the next records whose keys were replaced. It returns nil while a rotation is blocked and waits for the
    /// program: the server would refuse the others for the same reason.
    private func rotation(in journal: any JournalWriting) throws -> KeyRotation.Turn? {
        guard let ring else { return nil }
        let rotation = KeyRotation(model: model, ring: ring, zoneNumber: zoneNumber)
        guard try rotation.isDue(journal) else { return nil }
        // The blocked change of an object that was to move is no rotation.
        let blocked = try journal.blockedOutbox().filter { $0.kind == .update && $0.fields.isEmpty }.map(\.objectID.key)
        let moving = try MoveNotes(journal, of: blocked)
        let isRefused = blocked.contains { moving.objects[ZonedKey(zone: zoneNumber, key: $0)] == nil }
        return isRefused ? nil : try rotation.next(in: journal, limit: min(max(limits.operations, 1), Self.turnSize))
    }

    /// Unblocks changes that waited for an encryption key, if there is one now.
    private func releaseKeyless(_ ring: EncryptionKeyRing, in journal: any JournalWriting) throws {
        guard case .success? = ring.current else { return }
        let noted = try journal.subjects(of: .keyless)
        guard !noted.isEmpty else { return }
        // A change that is written belongs to this zone afterwards.
        let zones = try journal.zones(of: noted)
        let keys = noted.filter { (zones[$0] ?? 0) == zoneNumber }
        try journal.putOutbox(
            try journal.outbox(for: keys).values.filter { $0.blockedReason != nil }.map(\.unblocked))
        for key in keys { try journal.removeNote(.keyless, of: key) }
    }

    /// The most records that one cycle encrypts again.
    private static let turnSize = 200

    /// Returns a key from this store, the token, each entry's sequence and the sent content. The token makes a batch
    /// after news from the server a new attempt.
    func idempotencyKey(of items: [PushItem], _ token: String?) -> String {
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
            if let departure = item.departure { hash.update(data: Data("\(departure.zone)\u{0}\(departure.tag)".utf8)) }
            if let fields = operation.record.encodedFields { hash.update(data: fields) }
            for (key, asset) in item.assets.sorted(by: { $0.key < $1.key }) {
                hash.update(data: Data("\(key)\u{0}\(asset.text)".utf8))
            }
        }
        return hash.finalize().hexadecimal
    }
}
