import Backstitch
import CloudWire

/// Brings records of the server into the store, in the transaction that it is given: a page of the feed, or the records
/// that a push met in conflict. Objects without unsent changes take the server's record; the others are merged.
///
/// Reads and writes are set-wise: a handful of calls to the journal, however many records there are.
struct NewsApplier {
    let journal: any JournalWriting
    let settings: ApplySettings
    /// Records whose tag is known are skipped, as they are here already.
    var skipsKnownTags = true
    /// The pushes that met these records in conflict: what was unknown before each of them.
    var conflicting: [ObjectKey: PushItem] = [:]

    var result = AppliedChanges()
    var states: [ObjectKey: RecordState] = [:]
    var entries: [ObjectKey: OutboxEntry] = [:]
    /// Objects whose inserts the server may have.
    private(set) var unanswered: Set<ObjectKey> = []
    /// Keys of records that could not become objects.
    private(set) var parkedKeys: [ObjectKey: String] = [:]
    var notes = JournalNotes()
    /// Objects that were deleted here, and whose inserts may still arrive.
    private(set) var withdrawn: Set<ObjectKey> = []
    private var parked: ParkedRecords
    /// Records that wait for the end of the pull, and which objects have become others; nil in models without unique constraints.
    var held: HeldRecords?
    var merged: MergedKeys?
    /// Objects that have become others, and to which records refer.
    var mergedTargets: Set<ObjectID> = []

    init(journal: any JournalWriting, settings: ApplySettings) throws {
        self.journal = journal
        self.settings = settings
        parked = try ParkedRecords(journal)
        if settings.model.hasUniqueness {
            held = try HeldRecords(journal)
            merged = try MergedKeys(journal)
        }
    }

    /// Applies news, and says what they changed.
    mutating func apply(_ news: [ServerNews]) throws -> AppliedChanges {
        result.received = news.count
        guard !news.isEmpty else { return result }
        try look(up: news)
        try releaseHeld(news)
        let away = try journal.awayKeys()
        withdrawn = try journal.withdrawnKeys()
        var clean = [[CleanRecord]](repeating: [], count: settings.model.entities.count)
        var gone = clean.map { _ in [ObjectKey]() }
        var dirty: [ServerNews] = []
        for item in news {
            if let state = states[item.key], let tag = state.changeTag, skipsKnownTags,
                item.record?.recordChangeTag == tag, !canReadMore(of: state)
            {
                continue
            }
            if entries[item.key] != nil {
                dirty.append(item)
            } else if away.contains(item.key) {
                try noteAway(item)
            } else if let record = item.record {
                if try withdraw(record, item) { continue }
                guard let (entity, decoded) = try decode(record, item) else { continue }
                clean[entity.entity.index].append(
                    CleanRecord(news: item, record: record, decoded: decoded, isNew: isNew(item.key)))
            } else {
                try noteDeletion(of: item, in: &gone)
            }
        }
        let unique = uniqueRows(of: clean)
        try noteDepartures(unique, gone: &gone, dirty: &dirty)
        if settings.flaws.contains(.dropsOrphans) { try dropOrphans(among: news, from: &clean) }
        for (entity, records) in zip(settings.model.entities, clean) where !records.isEmpty {
            let rows = unique[entity.entity.index]
            let free = try rows.map { try withoutRivals(records, $0) } ?? records
            if !free.isEmpty { try applyClean(free, of: entity) }
        }
        for (entity, keys) in zip(settings.model.entities, gone) where !keys.isEmpty {
            try journal.delete(keys, of: entity.entity)
        }
        if !dirty.isEmpty { try merge(dirty) }
        if settings.resolver.hasOpenConflicts { throw OpenConflicts() }
        try finish()
        try relinkMergedTargets()
        return result
    }

    /// Reads what is known of the objects that there is news of.
    mutating func look(up news: [ServerNews]) throws {
        let keys = news.map(\.key)
        states = try journal.recordStates(for: keys)
        entries = try journal.outbox(for: keys)
        if !entries.isEmpty { unanswered = try journal.unansweredInserts().keys }
    }

    /// Writes what was noted.
    mutating func finish() throws {
        try notes.write(to: journal)
        notes = JournalNotes()
        try parked.writeCount(to: journal)
    }

    /// The object was removed here, and here only: its record is followed, so that its end is noticed.
    private mutating func noteAway(_ item: ServerNews) throws {
        if let record = item.record, let id = states[item.key]?.objectID {
            notes.states.append(
                RecordState(objectID: id, foreignName: item.foreignName, changeTag: record.recordChangeTag))
        } else if item.record == nil {
            notes.goneStates.append(item.key)
            try journal.setMetadata(nil, for: SyncMetadata.away(item.key))
        }
    }

    /// A record's fields and its entity, or nil when it had to be parked.
    mutating func decode(
        _ record: WireRecord, _ news: ServerNews
    ) throws -> (SyncedEntity, RecordDecoder.Decoded)? {
        switch Result(catching: { () throws(RecordFault) in try read(record, news) }) {
        case .success(let read):
            try parked.remove(news.name, from: journal)
            noteMergedTargets(read.1, read.0)
            return read
        case .failure(let fault):
            parkedKeys[news.key] = fault.reason
            result.parked.append(try parked.park(record, reason: fault.reason, in: journal))
            return nil
        }
    }

    private func read(
        _ record: WireRecord, _ news: ServerNews
    ) throws(RecordFault) -> (SyncedEntity, RecordDecoder.Decoded) {
        if let reason = settings.refused[news.key] { throw RecordFault(reason) }
        guard let type = record.recordType, let entity = settings.model.entity(ofType: type) else {
            throw RecordFault("the model has no entity \"\(record.recordType ?? "")\"")
        }
        if let known = (states[news.key]?.objectID ?? entries[news.key]?.objectID)?.entityName,
            known != entity.entity.name
        {
            throw RecordFault("the record is of type \(type), and the object here of entity \(known)")
        }
        return (entity, try RecordDecoder(zone: settings.zone).decode(record, as: entity))
    }

    /// What ``SyncFlaws/dropsOrphans`` does.
    private func dropOrphans(among news: [ServerNews], from clean: inout [[CleanRecord]]) throws {
        let coming = Set(news.map(\.key))
        for index in clean.indices {
            clean[index] = try clean[index].filter { item in
                let targets = item.record.fields.values.compactMap { value -> ObjectKey? in
                    guard case .reference(let reference)? = value else { return nil }
                    return RecordName.key(of: reference.recordName, zone: settings.zone).0
                }
                let known = try journal.recordStates(for: targets)
                return targets.allSatisfy { known[$0] != nil || coming.contains($0) }
            }
        }
    }

    /// Whether fields of the record were kept unread that the model has come to know since: they have been given back to the server,
    /// and are still to be shown here.
    private func canReadMore(of state: RecordState) -> Bool {
        guard let kept = state.unknownFields, let entity = settings.model.entity(named: state.objectID.entityName),
            let fields = try? WireRecord.Fields(json: Array(kept))
        else { return false }
        return fields.values.keys.contains { entity.fieldNames.contains($0) }
    }

    private func isNew(_ key: ObjectKey) -> Bool { states[key]?.changeTag == nil }

    private mutating func noteDeletion(of item: ServerNews, in gone: inout [[ObjectKey]]) throws {
        try parked.remove(item.name, from: journal)
        guard let id = states[item.key]?.objectID, let entity = settings.model.entity(named: id.entityName) else {
            return
        }
        gone[entity.entity.index].append(item.key)
        notes.goneStates.append(item.key)
        result.changes.deleted.append(id)
    }
}
