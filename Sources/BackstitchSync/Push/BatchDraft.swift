import Backstitch
import CloudWire
import Foundation

/// Makes push items of entries, within one transaction.
struct BatchDraft {
    private let entries: [OutboxEntry]
    private let builder: BatchBuilder
    private let pushes: InFlightPushes
    private let unanswered: [ObjectKey: Int64]
    private let states: [ObjectKey: RecordState]
    private let rows: [RowBatch?]
    private let positions: [ObjectKey: Int]
    private let links: [Int: [Int: [ObjectKey: [ObjectKey]]]]
    private let encoder: RecordEncoder
    private var parents: KnownParents
    /// The keys of the records of entities with encrypted attributes.
    private let sealings: [ObjectKey: RecordSealing]
    /// The marks of moves that are to be set or taken away.
    var marks: [ObjectKey: String?] = [:]
    /// Objects that come from other zones.
    var arriving: Set<ObjectKey> = []
    private var bytes = 0
    private var largeBytes = 0

    private(set) var items: [PushItem] = []
    private(set) var blocked: [(entry: OutboxEntry, reason: String)] = []
    /// Objects whose entries say nothing that the server shall know.
    private(set) var settled: [ObjectKey] = []
    /// The assets of such objects whose bytes are not here and that the server does not have.
    private(set) var lost: [(id: ObjectID, recordName: String, assets: [LostAsset])] = []
    /// Objects that have unsent changes, and are gone.
    private(set) var rowless: [ObjectID] = []
    /// Objects whose records have no field left that is to be encrypted anew, with the keys that they are under.
    private(set) var resealed: [(key: ObjectKey, sealing: RecordSealing)] = []
    /// Objects whose changes wait for a key to encrypt with.
    private(set) var keyless: [ObjectKey] = []
    /// Objects whose changes wait for those of others on which they hang, and these others.
    private(set) var blockedBelow: [(key: ObjectKey, parent: ObjectKey)] = []
    /// Whether all entries found place.
    private(set) var isComplete = true

    var changes: [BlockedChange] {
        blocked.map { BlockedChange(objectID: $0.entry.objectID, kind: $0.entry.kind, reason: $0.reason) }
    }

    /// Keys of deleted objects that the server never took, since it has records of that name and of another entity's
    /// type: those are not theirs to delete.
    private let ofOthers: Set<ObjectKey>

    /// - Parameter underWay: Objects whose changes are being sent.
    init(
        of entries: [OutboxEntry], beside underWay: Set<ObjectKey>, builder: BatchBuilder, journal: any JournalReading
    ) throws {
        self.entries = entries
        self.builder = builder
        pushes = try journal.inFlightPushes()
        unanswered = try journal.unansweredInserts().sequences
        states = try journal.recordStates(for: entries.map(\.objectID.key))
        var rows = [RowBatch?](repeating: nil, count: builder.model.entities.count)
        var positions: [ObjectKey: Int] = [:]
        var links: [Int: [Int: [ObjectKey: [ObjectKey]]]] = [:]
        let living = Dictionary(grouping: entries.filter { $0.kind != .delete }, by: \.objectID.entityName)
        var targets: Set<ObjectKey> = [], parents: Set<ObjectKey> = []
        for entity in builder.model.entities {
            guard let keys = living[entity.entity.name]?.map(\.objectID.key) else { continue }
            let batch = try journal.rows(of: entity.entity, keys: keys)
            rows[entity.entity.index] = batch
            for (position, key) in batch.keys.enumerated() { positions[key] = position }
            for property in entity.ownedLinks {
                let found = try journal.links(of: property, in: entity.entity, sources: keys)
                links[entity.entity.index, default: [:]][property.slot] = found
                for keys in found.values { targets.formUnion(keys.filter(RecordName.mayBeForeign)) }
            }
            if builder.validatesParents, let column = entity.entity.parentColumn {
                for row in 0..<batch.count where !batch.isNull(row, column.slot) {
                    parents.insert(batch.key(row, column.slot))
                }
            }
            for column in entity.references {
                for row in 0..<batch.count where !batch.isNull(row, column.slot) {
                    let key = batch.key(row, column.slot)
                    if RecordName.mayBeForeign(key) { targets.insert(key) }
                }
            }
        }
        var sealings: [ObjectKey: RecordSealing] = [:]
        if builder.ring != nil {
            for entity in builder.model.entities where entity.hasEncryption {
                for key in living[entity.entity.name]?.map(\.objectID.key) ?? [] {
                    sealings[key] = try journal.note(.sealing, of: SealingSubject(key))
                }
            }
        }
        self.sealings = sealings
        self.rows = rows
        self.positions = positions
        self.links = links
        let named = try states.merging(
            targets.isEmpty ? [:] : journal.recordStates(for: Array(targets)), uniquingKeysWith: { first, _ in first })
        let encoder = RecordEncoder(foreignNames: named.compactMapValues(\.foreignName))
        self.encoder = encoder
        var ofOthers: Set<ObjectKey> = []
        for entry in entries where entry.kind == .delete && states[entry.objectID.key]?.changeTag == nil {
            let id = entry.objectID
            guard let type = try journal.note(.parked, of: encoder.name(of: id.key))?.record?.recordType,
                type != builder.model.entity(named: id.entityName)?.wireName
            else { continue }
            ofOthers.insert(id.key)
        }
        self.ofOthers = ofOthers
        self.parents = try KnownParents(
            of: parents, inZone: builder.zoneNumber, followsMoves: builder.followsMoves,
            sending: underWay.union(entries.map(\.objectID.key)), journal)
    }

    /// Makes items of the entries, in the order of sending, until the batch is full.
    mutating func fill() throws {
        for position in PushOrder.sorted(entries, targets: entries.map(targets), isNew: makesRecord) {
            let entry = entries[position]
            if entry.kind != .delete, positions[entry.objectID.key] == nil,
                builder.model.entity(named: entry.objectID.entityName) != nil
            {
                rowless.append(entry.objectID)
                continue
            }
            do throws(RecordFault) {
                guard let item = try self.item(of: entry) else {
                    settled.append(entry.objectID.key)
                    continue
                }
                let size = item.encodedSize + 200
                // Half of the limit: escapes and receipts of assets come on top.
                let large = item.large.values.reduce(0) { $0 + $1.count }
                if !items.isEmpty,
                    bytes + size > builder.byteLimit || largeBytes + large > BatchBuilder.largeByteLimit
                {
                    isComplete = false
                    return dropTornSaves()
                }
                bytes += size
                largeBytes += large
                items.append(item)
            } catch {
                if case .unasked(let id)? = error.key, let ring = builder.ring {
                    throw UnaskedKey(id: id, ring: ring)
                }
                if error.key == .noCurrent { keyless.append(entry.objectID.key) }
                block(entry, error)
            }
        }
    }

    /// Sets aside the changes whose assets are not to travel for now, and those that hang on them.
    ///
    /// - Returns: The objects of the former.
    mutating func hold(_ pauses: TransferPauses) -> [ObjectKey] {
        if pauses.isEmpty { return [] }
        var held: [ObjectKey] = [], left: [PushItem] = []
        // Parents come first.
        for item in items {
            let key = item.entry.objectID.key
            // Large values are a part of their record, which goes on.
            let resting = item.assets.keys.filter {
                item.large[$0] == nil && pauses.hold(AssetPlace(key: key, attribute: $0))
            }.min()
            if let resting {
                held.append(key)
                block(item.entry, RecordFault(TransferPauses.reason(resting)))
            } else if let parent = item.parent, let reason = parents.blocked[parent] {
                block(item.entry, RecordFault(item.entry.objectID, hangsOn: parent, whichIsNotSent: reason))
            } else {
                left.append(item)
            }
        }
        items = left
        return held
    }

    /// Leaves out the changes whose assets are too large to go with the batch, until the server has the bytes, and
    /// those that the server does not take without them.
    ///
    /// - Parameter awaiting: The objects whose changes wait already.
    mutating func holdBack(by uploads: HeldUploads, awaiting: Set<ObjectKey>) -> HeldBack {
        var waiting = awaiting, heldBack = HeldBack()
        var room = uploads.perBatch, left: [PushItem] = []
        for item in items {
            let key = item.entry.objectID.key
            let missing = item.uploads(builder.model).filter {
                $0.data == nil && uploads.outcome(of: $0, inZone: builder.zoneNumber, at: builder.time) == nil
            }
            let size = missing.reduce(0) { $0 + $1.reference.size }
            let held = size > room ? missing.filter(uploads.holds) : []
            if !held.isEmpty {
                heldBack.uploads += held
                waiting.insert(key)
            } else if let parent = item.parent, item.parentTag == nil, waiting.contains(parent) {
                heldBack.below[key] = parent
                waiting.insert(key)
            } else {
                room = max(room - size, 0)
                left.append(item)
            }
        }
        items = left
        return heldBack
    }

    private mutating func block(_ entry: OutboxEntry, _ fault: RecordFault) {
        let key = entry.objectID.key
        blocked.append((entry, fault.reason))
        if let parent = fault.parent { blockedBelow.append((key, parent)) }
        if builder.validatesParents, makesRecord(entry) { parents.block(key, fault.reason) }
    }

    /// Leaves out what would be a part of a save, unless nothing else is there.
    private mutating func dropTornSaves() {
        let done = Set(
            items.map(\.entry.objectID.key) + blocked.map(\.entry.objectID.key) + settled + rowless.map(\.key))
        let torn = Set(entries.filter { !done.contains($0.objectID.key) }.map(\.sequence))
        let whole = items.filter { !torn.contains($0.entry.sequence) }
        if !whole.isEmpty { items = whole }
    }

    private func targets(of entry: OutboxEntry) -> [ObjectKey] {
        guard makesRecord(entry) || builder.validatesParents && entry.kind == .update,
            let entity = builder.model.entity(named: entry.objectID.entityName),
            let rows = rows[entity.entity.index], let row = positions[entry.objectID.key]
        else { return [] }
        let columns = makesRecord(entry) ? entity.references : entity.entity.parentColumn.map { [$0] } ?? []
        return columns.compactMap { rows.isNull(row, $0.slot) ? nil : rows.key(row, $0.slot) }
    }

    /// An entry as it is sent; nil when nothing of it shall go.
    private mutating func item(of entry: OutboxEntry) throws(RecordFault) -> PushItem? {
        let key = entry.objectID.key
        let tag = states[key]?.changeTag
        let name = encoder.name(of: key)
        guard entry.kind != .delete else {
            if ofOthers.contains(key) { return nil }
            // Without a tag the server cannot compare: an insert whose answer was lost, for instance.
            return removal(of: entry, name, tag)
        }
        guard let entity = builder.model.entity(named: entry.objectID.entityName) else {
            throw RecordFault("the model has no entity \(entry.objectID.entityName)")
        }
        guard let rows = rows[entity.entity.index], let row = positions[key] else { return nil }
        func image() -> RecordImage { RecordImage(values: rows.values(at: row), links: [:]) }
        if try !entity.wants(entry.objectID, image()) {
            guard let tag, try entity.wants(entry.objectID, image().before(entry, of: entity.entity)) else {
                // Never sent, or without an answer. An object that came from the server without matching is edited like
                // any other.
                if tag == nil, !arriving.contains(key) {
                    return unanswered[key] == nil ? nil : removal(of: entry, name, nil)
                }
                return try edit(of: entry, entity, rows, row, name, tag)
            }
            return removal(of: entry, name, tag)
        }
        return try edit(of: entry, entity, rows, row, name, tag)
    }

    /// Whether the zone has no record of the object: a new one, or one that has moved there.
    private func makesRecord(_ entry: OutboxEntry) -> Bool {
        entry.kind == .insert || entry.kind == .update && states[entry.objectID.key]?.changeTag == nil
    }

    /// Takes an object from the server that is deleted here, or stays here. The trace tells, where the answer is lost,
    /// that it was this device, should the object be there again, or be sent again, by then.
    private func removal(of entry: OutboxEntry, _ name: String, _ tag: String?) -> PushItem {
        let record = WireRecord(recordName: name, recordChangeTag: tag)
        return PushItem(
            entry: entry, operation: RecordOperation(tag == nil ? .forceDelete : .delete, record),
            pushed: [RecordMerge.removal: .value(.null)], mayHaveArrived: true,
            earlierTraces: pushes[entry.objectID.key])
    }

    private mutating func edit(
        of entry: OutboxEntry, _ entity: SyncedEntity, _ rows: RowBatch, _ row: Int, _ name: String, _ tag: String?
    ) throws(RecordFault) -> PushItem? {
        let key = entry.objectID.key
        var draft = FieldDraft(entity: entity, rows: rows, row: row, builder: builder, encoder: encoder)
        draft.links = links[entity.entity.index]?.compactMapValues { $0[key] } ?? [:]
        draft.parents = parents
        let isWhole = makesRecord(entry)
        if !isWhole, !entity.assetColumns.isEmpty {
            draft.bases = Dictionary(entry.fields.map { ($0.name, $0.base) }, uniquingKeysWith: { _, last in last })
        }
        try draft.add(isWhole ? nil : Set(entry.fields.map(\.name)))
        if !isWhole, let known = sealings[key] { try draft.addRotated(from: known) }
        let mark = entry.marksMove ? marks[key] : nil
        if let mark { draft.set(mark.map(WireValue.string), MoveMark.field) }
        // Only what stays local has changed, or what the server has already.
        if !isWhole, draft.fields.isEmpty {
            if !draft.lostAssets.isEmpty { lost.append((entry.objectID, name, draft.lostAssets)) }
            if sealings[key] != nil, entry.fields.isEmpty { resealed.append((key, draft.sealing)) }
            return nil
        }
        if isWhole, let unknown = states[key]?.unknownFields { try draft.add(unknown: unknown) }
        let record = try draft.record(
            name: name, tag: isWhole ? nil : tag, changed: isWhole ? nil : Set(entry.fields.map(\.name)),
            unknown: states[key]?.unknownFields)
        var pushed: [String: OutboxEntry.Base] = [:]
        for field in entry.fields {
            if let property = entity.entity.property(named: field.name) {
                pushed[field.name] = draft.content(of: property)
            }
        }
        var item = PushItem(
            entry: entry, operation: RecordOperation(isWhole ? .create : .update, record), pushed: pushed,
            mayHaveArrived: !isWhole || unanswered[key] != nil, arrivedSequence: unanswered[key] ?? 0,
            earlierTraces: pushes[key], assets: draft.assets)
        item.lostAssets = draft.lostAssets
        item.unread = draft.unread
        item.assetKeys = draft.assetKeys
        item.mark = mark
        item.encodedSize = draft.encodedSize
        item.large = draft.large
        item.largeFields = draft.largeFields
        if isWhole {
            // A former record's are not the new one's.
            for field in LargeFields.names(in: states[key]?.unknownFields, of: entity)
            where item.largeFields[field] == nil {
                item.largeFields.updateValue(nil, forKey: field)
            }
        }
        if entity.hasEncryption { item.sealing = draft.sealing }
        if builder.validatesParents, record.parent != nil, let column = entity.entity.parentColumn {
            let parent = rows.key(row, column.slot)
            (item.parent, item.parentTag) = (parent, parents.tags[parent])
        }
        return item
    }
}

extension BatchBuilder {
    /// Bytes of fields that a batch holds at most.
    var byteLimit: Int { min(limits.bytes / 2, 1_500_000) }
    /// Bytes of values that travel as assets that a batch holds at most, since they are in memory.
    static let largeByteLimit = 64 << 20
}
