import Backstitch
import CloudWire

/// Applies records of the server to the store, within the given transaction: a page of the feed, or the records that a
/// push met in conflict. Objects without unsent changes take the server's record; the others are merged.
///
/// It reads and writes in sets: the number of journal calls does not depend on the number of records.
struct RemoteChangeApplier {
    let journal: any JournalWriting
    let settings: ApplySettings
    /// Decides the treatment of a record whose tag is the known one.
    var knownTags: (String) -> KnownTag = { _ in .skip }
    /// Whether the server has gone back to an earlier state, so that lost values are sent again.
    var isRestored = false
    /// Whether the owner has removed the records, together with all edits of others.
    var takesEditsBack = false
    /// Whether all zones were read, so that a missing record has not moved.
    var isEveryZoneRead = false
    /// The push items that met these records in conflict, with the state before each of them.
    var conflicting: [ObjectKey: PushItem] = [:]

    var result = AppliedChanges()
    var states: [ObjectKey: RecordState] = [:]
    var entries: [ObjectKey: OutboxEntry] = [:]
    /// Objects that stay on this device; the journal has no state of them.
    private var local: [ObjectKey: ObjectID] = [:]
    /// Objects whose inserts the server may have, see ``UnansweredInserts``.
    private(set) var unanswered: [ObjectKey: Int64] = [:]
    /// Objects deleted by this device, whose deletion the feed may still report.
    private(set) var ended: Set<ObjectKey> = []
    /// Objects with a record in another zone, and the zone's number.
    private(set) var elsewhere: [ObjectKey: Int64] = [:]
    /// The known moves between zones, together with the news of them.
    var moves = NewsOfMoves()
    /// The keys of records that could not become objects, with the reasons.
    private(set) var parkedKeys: [ObjectKey: String] = [:]
    var notes = JournalWriteBatch()
    /// Objects deleted here whose inserts may still arrive, with the time of deletion in milliseconds since 1970.
    private(set) var withdrawn: [ObjectKey: Int64] = [:]
    private var parked: ParkedRecords
    private let decoder: RecordDecoder
    /// Records that wait for the end of the pull, and the keys of merged objects; nil in models without unique
    /// constraints.
    var deferred: DeferredRecords?
    var merged: MergedKeys?
    /// The planned copies from conflicts, for the entity that is being merged.
    var copies: [ConflictCopy] = []
    /// The dates of the saves of unsent changes.
    var saveDates = SaveDates()
    /// Merged objects that records still refer to.
    var mergedTargets: Set<ObjectID> = []

    init(journal: any JournalWriting, settings: ApplySettings) throws {
        self.journal = journal
        self.settings = settings
        decoder = RecordDecoder(settings)
        parked = try ParkedRecords(journal)
        if settings.model.hasUniqueness {
            deferred = try DeferredRecords(journal)
            merged = try MergedKeys(journal)
        }
    }

    /// Applies news, and returns the changes.
    mutating func apply(_ news: [RemoteChange]) throws -> AppliedChanges {
        (result.received, result.awaitsBytes) = (news.count, parked.count > 0)
        guard !news.isEmpty else { return result }
        try look(up: news)
        if settings.isPublic { try CreatorRights.noteCreators(of: news, in: journal) }
        try forgetDeferred(news)
        let away = try journal.awayKeys()
        withdrawn = try journal.withdrawnInserts()
        var sorted = SortedNews(entities: settings.model.entities.count)
        for item in isRestored ? try resendLost(of: news, away: away) : news {
            try carryOut(try facts(of: item, away: away), on: item, in: &sorted)
        }
        if !sorted.acknowledged.isEmpty { try noteForgottenEdits(of: sorted.acknowledged, in: &sorted.clean) }
        if !sorted.compared.isEmpty { try dropUnchanged(among: sorted.compared, from: &sorted.clean) }
        try write(&sorted)
        if settings.resolver.hasOpenConflicts { throw OpenConflicts() }
        try finish()
        try relinkMergedTargets()
        return result
    }

    /// Writes records without local edits, carries out deletions, and merges the records of edited objects.
    private mutating func write(_ sorted: inout SortedNews) throws {
        let unique = uniqueRows(of: sorted.clean)
        try noteDepartures(unique, gone: &sorted.gone, dirty: &sorted.dirty)
        for (entity, records) in zip(settings.model.entities, sorted.clean) where !records.isEmpty {
            let rows = unique[entity.entity.index]
            let free = try rows.map { try withoutRivals(records, $0) } ?? records
            if !free.isEmpty { try applyClean(free, of: entity) }
        }
        for (entity, keys) in zip(settings.model.entities, sorted.gone) where !keys.isEmpty {
            try journal.delete(keys, of: entity.entity)
        }
        if !sorted.dirty.isEmpty { try merge(sorted.dirty, gone: &sorted.gone) }
        // The owner moved the record out of the zone. The owner's devices also handle its children.
        for (entity, keys) in zip(settings.model.entities, sorted.gone) where !keys.isEmpty && !takesEditsBack {
            try ParentsDeletedElsewhere.note(keys, of: entity, in: journal, settings)
        }
    }

    /// Reads the known state of the objects in the news.
    mutating func look(up news: [RemoteChange]) throws {
        let keys = news.map(\.key)
        states = try journal.recordStates(for: keys)
        entries = try journal.outbox(for: keys)
        let zones = try journal.zones(of: keys)
        for key in keys where states[key] != nil || entries[key] != nil {
            let zone = zones[key] ?? 0
            if zone != settings.zoneNumber { elsewhere[key] = zone }
        }
        for item in news { try endReplaced(item) }
        local = try TakenKeys(journal: journal, settings: settings)
            .localObjects(keys.filter { states[$0] == nil && entries[$0] == nil })
        if settings.followsMoves { moves.know(try MoveNotes(journal, of: keys)) }
        try weighDeletionsElsewhere(news)
        guard !entries.isEmpty else { return }
        unanswered = try journal.unansweredInserts().sequences.merging(unansweredElsewhere()) { first, _ in first }
        ended = try journal.endedKeys()
    }

    /// Writes the collected changes.
    mutating func finish() throws {
        try notes.write(to: journal, settings.model)
        notes = JournalWriteBatch()
        try writeMoves()
        try parked.writeCount(to: journal)
        result.awaitsBytes = parked.count > 0
    }

    /// Returns a record's fields and its entity, or nil if the record was parked.
    mutating func decode(
        _ record: WireRecord, _ news: RemoteChange
    ) throws -> (SyncedEntity, RecordDecoder.Decoded)? {
        switch Result(catching: { () throws(RecordFault) in try read(record, news) }) {
        case .success(let read):
            try parked.remove(news.name, from: journal)
            noteMergedTargets(read.1, read.0)
            try noteRead(news, read.0.entity)
            try noteSealing(read.1.sealing, of: news.key, read.0)
            return read
        case .failure(let fault):
            if case .unasked(let id)? = fault.key, let ring = settings.ring { throw UnaskedKey(id: id, ring: ring) }
            try park(
                record, news, fault.reason, awaiting: AwaitedKey(fault.key), awaitsBytes: fault.awaitsBytes,
                hasTakenKey: fault.hasTakenKey)
            return nil
        }
    }

    /// Stores a record until it is known whether it can become an object.
    mutating func keep(_ record: WireRecord, _ reason: String) throws {
        _ = try parked.park(record, reason: reason, in: journal)
    }

    /// Stores a record that cannot become an object, with the reason.
    mutating func park(
        _ record: WireRecord, _ news: RemoteChange, _ reason: String, awaiting key: AwaitedKey? = nil,
        awaitsBytes: Bool = false, awaitsValues: Bool = false, hasTakenKey: Bool = false
    ) throws {
        parkedKeys[news.key] = reason
        takeArrivalBack(of: news.key)
        let told = try parked.park(
            record, reason: reason, awaiting: key, awaitsBytes: awaitsBytes, awaitsValues: awaitsValues,
            hasTakenKey: hasTakenKey, in: journal)
        // A record that only waits for bytes is not reported as parked, because it is completed at once.
        if !awaitsBytes { result.parked.append(told) }
    }

    private func read(
        _ record: WireRecord, _ news: RemoteChange
    ) throws(RecordFault) -> (SyncedEntity, RecordDecoder.Decoded) {
        if let reason = settings.refused[news.key] { throw RecordFault(reason) }
        guard record.recordChangeTag != nil else {
            throw RecordFault("the server has sent it without a change tag, which tells a record's versions apart")
        }
        if let fields = record.faultyFields {
            throw RecordFault("the server has sent a value that cannot be read: \(fields.reason); write it again there")
        }
        // Only the owner moves objects; another user's zone cannot take one from a different zone.
        if settings.isOfOthers, let zone = elsewhere[news.key], !isOfSameOwner(zone) {
            throw RecordFault("an object of another zone of this store has the record's name")
        }
        guard let type = record.recordType, let entity = settings.model.entity(ofType: type) else {
            throw RecordFault("the model has no entity \"\(record.recordType ?? "")\"")
        }
        if let known = states[news.key]?.objectID ?? entries[news.key]?.objectID ?? local[news.key],
            known.entityName != entity.entity.name
        {
            var fault = RecordFault(
                "the record is of type \(type), and \(known) here has the same key, and keys are unique in a "
                    + "store; delete one of the two")
            fault.hasTakenKey = true
            throw fault
        }
        return (entity, try decoder.decode(record, as: entity))
    }

    /// Removes records that are equal to the objects here.
    private func dropUnchanged(among keys: Set<ObjectKey>, from clean: inout [[CleanRecord]]) throws {
        for (entity, records) in zip(settings.model.entities, clean) where !records.isEmpty {
            let local = try LocalImages(of: records.map(\.news.key).filter(keys.contains), entity, from: journal)
            clean[entity.entity.index] = records.filter { record in
                let key = record.news.key
                guard keys.contains(key), let here = local[key] else { return true }
                return record.decoded.image(key: key, of: entity, keeping: here) != here
            }
        }
    }

    /// Removes the parked record, because the server's record is gone.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    mutating func dropParked(_ news: RemoteChange) throws -> Bool { try parked.remove(news.name, from: journal) }
}
