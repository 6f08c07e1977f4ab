import Backstitch
import CloudWire
import Foundation

/// Builds push items from entries, within one transaction.
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
    private var bytes = 0
    private var largeBytes = 0

    private(set) var items: [PushItem] = []
    private(set) var blocked: [(entry: OutboxEntry, reason: String)] = []
    /// Objects whose entries have nothing to send.
    private(set) var settled: [ObjectKey] = []
    /// The assets of such objects whose bytes are neither here nor on the server.
    private(set) var lost: [(id: ObjectID, recordName: String, assets: [LostAsset])] = []
    /// Objects with unsent changes that no longer exist.
    private(set) var rowless: [ObjectID] = []
    /// Objects without a field left to encrypt again, with the present keys of their records.
    private(set) var resealed: [(key: ObjectKey, sealing: RecordSealing)] = []
    /// Objects whose changes wait for a key to encrypt with.
    private(set) var keyless: [ObjectKey] = []
    /// Objects whose changes wait for those of their parents, with the parents.
    private(set) var blockedBelow: [(key: ObjectKey, parent: ObjectKey)] = []
    /// Whether all entries are in the batch.
    private(set) var isComplete = true

    var changes: [BlockedChange] {
        blocked.map { BlockedChange(objectID: $0.entry.objectID, kind: $0.entry.kind, reason: $0.reason) }
    }

    /// Keys of deleted objects that the server never took: its record of that name has another entity's type. This
    /// device must not delete that record.
    private let ofOthers: Set<ObjectKey>

    /// - Parameter underWay: Objects whose changes are being sent.
    /// - Parameter moved: Objects that this zone is to get from another one, or has copies of. Their records are made
    ///   here.
    init(
        of entries: [OutboxEntry], beside underWay: Set<ObjectKey>, moving moved: Set<ObjectKey> = [],
        builder: BatchBuilder, journal: any JournalReading
    ) throws {
        self.entries = entries
        self.builder = builder
        pushes = try journal.inFlightPushes()
        unanswered = try journal.unansweredInserts().sequences
        let known = try journal.recordStates(for: entries.map(\.objectID.key))
        states = known.mapValues { moved.contains($0.objectID.key) ? $0.inNoZone : $0 }
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
        sealings = try builder.ring == nil ? [:] : Self.sealings(of: living, builder.model, in: journal)
        self.rows = rows
        self.positions = positions
        self.links = links
        let named = try states.merging(
            targets.isEmpty ? [:] : journal.recordStates(for: Array(targets.subtracting(moved))),
            uniquingKeysWith: { first, _ in first })
        let encoder = RecordEncoder(foreignNames: named.compactMapValues(\.foreignName))
        self.encoder = encoder
        let neverTaken = entries.filter { [states] in
            $0.kind == .delete && states[$0.objectID.key]?.changeTag == nil
        }
        ofOthers = try Self.ofOthers(among: neverTaken, encoder, builder.model, in: journal)
        self.parents = try KnownParents(
            of: parents.subtracting(moved), inZone: builder.zoneNumber, followsMoves: builder.followsMoves,
            sending: underWay.union(entries.map(\.objectID.key)), journal)
    }

    /// Returns the keys of encryption of the objects' records.
    private static func sealings(
        of living: [String: [OutboxEntry]], _ model: SyncedModel, in journal: any JournalReading
    ) throws -> [ObjectKey: RecordSealing] {
        var sealings: [ObjectKey: RecordSealing] = [:]
        for entity in model.entities where entity.hasEncryption {
            for key in living[entity.entity.name]?.map(\.objectID.key) ?? [] {
                sealings[key] = try journal.note(.sealing, of: SealingSubject(key))
            }
        }
        return sealings
    }

    /// Returns the keys of those deleted objects whose name a record of another type has.
    private static func ofOthers(
        among deletions: [OutboxEntry], _ encoder: RecordEncoder, _ model: SyncedModel, in journal: any JournalReading
    ) throws -> Set<ObjectKey> {
        var ofOthers: Set<ObjectKey> = []
        for id in deletions.map(\.objectID) {
            guard let type = try journal.note(.parked, of: encoder.name(of: id.key))?.record?.recordType,
                type != model.entity(named: id.entityName)?.wireName
            else { continue }
            ofOthers.insert(id.key)
        }
        return ofOthers
    }

    /// Builds items from the entries, in the order of sending, until the batch is full.
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
                // The limit is halved, because escapes and receipts of assets add to the size.
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

    /// Blocks the changes whose assets are paused, and the changes of their children.
    ///
    /// - Returns: The objects with paused assets.
    mutating func hold(_ pauses: TransferPauses) -> [ObjectKey] {
        if pauses.isEmpty { return [] }
        var held: [ObjectKey] = [], left: [PushItem] = []
        // Parents are sent before their children.
        for item in items {
            let key = item.entry.objectID.key
            // Large values are a part of their record, which is sent.
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

    /// Removes the changes whose assets are too large for the batch, until the server has the bytes. Children that the
    /// server refuses without them are removed too.
    ///
    /// - Parameter awaiting: The objects whose changes already wait.
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

    /// Removes the part of a save, unless the batch has nothing else.
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

    /// Returns an entry in the form to send; nil if nothing is sent.
    private mutating func item(of entry: OutboxEntry) throws(RecordFault) -> PushItem? {
        let key = entry.objectID.key
        let tag = states[key]?.changeTag
        let name = encoder.name(of: key)
        guard entry.kind != .delete else {
            if ofOthers.contains(key) { return nil }
            // Without a tag the server cannot compare, for example after an insert whose answer was lost.
            return removal(of: entry, name, tag)
        }
        guard let entity = builder.model.entity(named: entry.objectID.entityName) else {
            throw RecordFault("the model has no entity \(entry.objectID.entityName)")
        }
        guard let rows = rows[entity.entity.index], let row = positions[key] else { return nil }
        func image() -> RecordImage { RecordImage(values: rows.values(at: row), links: [:]) }
        if try !entity.wants(entry.objectID, image()) {
            guard let tag, try entity.wants(entry.objectID, image().before(entry, of: entity.entity)) else {
                // The object was never sent, or sent without an answer. A server's object that does not match is edited
                // like any other.
                if tag == nil {
                    return unanswered[key] == nil ? nil : removal(of: entry, name, nil)
                }
                return try edit(of: entry, entity, rows, row, name, tag)
            }
            return removal(of: entry, name, tag)
        }
        return try edit(of: entry, entity, rows, row, name, tag)
    }

    /// Returns whether the zone has no record of the object: a new object, or one that has moved there.
    private func makesRecord(_ entry: OutboxEntry) -> Bool {
        entry.kind == .insert || entry.kind == .update && states[entry.objectID.key]?.changeTag == nil
    }

    /// Returns the item that removes an object from the server, because it is deleted or becomes local. If the answer
    /// is lost and the object exists again by then, the trace shows that this device removed it.
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
        // The change concerns only local values, or values that the server already has.
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
        item.encodedSize = draft.encodedSize
        item.large = draft.large
        item.largeFields = draft.largeFields
        if isWhole {
            // The fields of a former record do not belong to the new one.
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

extension RecordState {
    /// The state of an object whose record is made in another zone. A foreign name is valid only in its own zone.
    fileprivate var inNoZone: RecordState {
        RecordState(objectID: objectID, changeTag: nil, unknownFields: unknownFields)
    }
}

extension BatchBuilder {
    /// The most bytes of fields in a batch.
    var byteLimit: Int { min(limits.bytes / 2, 1_500_000) }
    /// The most bytes of large values in a batch, because they are in memory.
    static let largeByteLimit = 64 << 20
}
