import Backstitch
import CloudWire

/// Merges objects with the same unique values into one. This happens in the transaction of a pull's last page. By then
/// everything of the zone is known, so no later change can make the values different.
///
/// The changes are noted as unsent, so the server gets the same result. Every other device does the same by itself:
/// normally the object with the lower key stays. The device then finds the result already on the server.
struct DuplicateMerger {
    let journal: any JournalWriting
    let settings: ApplySettings
    var result = AppliedChanges()
    /// Objects in their new state, not written yet.
    var pending: [ObjectKey: RecordImage] = [:]
    /// Objects no longer on the server.
    var departed: [ObjectKey: ObjectID] = [:]
    /// Whether the changes are sent. If the user may only read the zone, or sees only a part of it, other users send
    /// the same changes.
    private let sendsChanges: Bool
    let sight: GuestSight
    /// The separate number of the noted changes, so that they are sent together.
    private var number: Int64?

    init(journal: any JournalWriting, settings: ApplySettings) throws {
        self.journal = journal
        self.settings = settings
        sight = try GuestSight(journal, settings)
        sendsChanges = try !settings.isOfOthers || journal.mayWriteAll(inZone: settings.zoneNumber)
    }

    var model: SyncedModel { settings.model }
    private static let mostRounds = 8

    /// Writes an object, or merges it with the holders of its unique values.
    mutating func put(_ image: RecordImage, of id: ObjectID) throws {
        var twin = try TwinFold.Twin(id: id, entity: entity(of: id), image: image)
        var strays: [(links: InboundLinks, loser: ObjectID)] = []
        while let other = try journal.rival(of: twin.id.key, twin.image, twin.entity, model) {
            let rival = try self.twin(other)
            let (winner, loser) = try stays(twin, rival) ? (twin, rival) : (rival, twin)
            let links = try InboundLinks(to: loser.id, loser.entity, in: journal, model)
            twin = try makeOne(winner, loser)
            strays.append((links, loser.id))
        }
        try write(twin)
        for stray in strays {
            var links = stray.links
            // An object that gets a link may be merged with a third object, and bring more links. Each time one object
            // fewer is left.
            for _ in 0..<Self.mostRounds where !links.isEmpty {
                try give(links, of: stray.loser, to: twin.id)
                links = try InboundLinks(to: stray.loser, entity(of: stray.loser), in: journal, model)
            }
        }
    }

    /// Redirects the links to a removed object to another object.
    mutating func giveLinks(of loser: ObjectID, to winner: ObjectKey) throws {
        let entity = try entity(of: loser)
        let rows = try journal.rows(of: entity, keys: [winner])
        let id = rows.count == 1 ? rows.objectID(at: 0) : ObjectID(entityName: loser.entityName, key: winner)
        try give(InboundLinks(to: loser, entity, in: journal, model), of: loser, to: id)
    }

    // MARK: Two become one

    /// Whether `one` is the object that stays. An object deleted on the server loses, then an object that is never
    /// sent. If guests see parts of the zone, the object that more of them see stays. Otherwise the lower key decides.
    private func stays(_ one: TwinFold.Twin, _ other: TwinFold.Twin) throws -> Bool {
        let weights = try [one, other].map { try departed[$0.id.key] != nil ? 2 : isLocal($0) ? 1 : 0 }
        guard weights[0] == weights[1] else { return weights[0] < weights[1] }
        guard sight.isPartial else { return one.id.key < other.id.key }
        let (mine, theirs) = try (roots(above: one), roots(above: other))
        if mine != theirs, mine.isSuperset(of: theirs) || theirs.isSuperset(of: mine) {
            return mine.isSuperset(of: theirs)
        }
        return one.id.key < other.id.key
    }

    /// The shared objects that make an object visible to guests.
    func roots(above twin: TwinFold.Twin) throws -> Set<ObjectKey> {
        try sight.roots(above: twin.id, twin.image, twin.entity)
    }

    /// Whether the object never goes to the server. Other devices cannot know it, so their objects must not be lost to
    /// it.
    private func isLocal(_ twin: TwinFold.Twin) throws -> Bool {
        guard let entity = model.entity(named: twin.id.entityName), entity.predicate != nil,
            try journal.recordStates(for: [twin.id.key])[twin.id.key]?.changeTag == nil
        else { return false }
        // If this cannot be evaluated, the push reports it.
        return (try? entity.wants(twin.id, twin.image)) == false
    }

    private mutating func makeOne(_ winner: TwinFold.Twin, _ loser: TwinFold.Twin) throws -> TwinFold.Twin {
        let entry = try journal.outbox(for: [loser.id.key])[loser.id.key]
        let isDeparted = departed[loser.id.key] != nil
        let decisive = model.entity(named: winner.id.entityName)?.predicate?.valuePaths ?? []
        let fold = TwinFold(
            loser, into: winner, decisive: Set(decisive.compactMap(\.names.first)),
            edits: isDeparted ? entry?.fields ?? [] : nil,
            hasBytes: { settings.assets.contains($0) })
        try remove(loser, entry, leavesRecord: !isDeparted)
        try MergedKeys.add(loser.id.key, winner.id.key, to: journal)
        result.merged.append(MergedObjects(stays: winner.id, gone: loser.id, lostKeys: fold.lostKeys.sorted()))
        // The winner is sent even without changes. So its deletion meanwhile cannot go unnoticed, and other devices
        // hear of both objects in one commit.
        let keys = winner.entity.uniquenessConstraints.first.map { [winner.entity.properties[$0[0]]] } ?? []
        let touched = isDeparted ? [] : keys.map { ($0, winner.image.content(of: $0)) }
        try noteEdit(of: winner.id, fold.changes + touched)
        return TwinFold.Twin(id: winner.id, entity: winner.entity, image: fold.image)
    }

    private mutating func remove(_ twin: TwinFold.Twin, _ entry: OutboxEntry?, leavesRecord: Bool) throws {
        let (id, entity) = (twin.id, twin.entity)
        pending[id.key] = nil
        departed[id.key] = nil
        if try journal.rows(of: entity, keys: [id.key]).count == 1 {
            try journal.delete([id.key], of: entity)
            result.changes.deleted.append(id)
        }
        let isKnown = try journal.recordStates(for: [id.key])[id.key]?.changeTag != nil
        let mayBeThere =
            try entry.map { $0.firstSequence <= (try journal.value(of: .attempted) ?? 0) } ?? false
        guard leavesRecord, isKnown || mayBeThere else {
            if entry != nil { try journal.removeOutbox([id.key]) }
            return try journal.endRecords([id.key], model)
        }
        // Its record stays known, so that its deletion is understood.
        guard sendsChanges else { return try journal.removeOutbox([id.key]) }
        try journal.putOutbox([.deletion(of: id, twin.image, entity, sequence: try nextNumber(), existing: entry)])
        result.hasUnsent = true
    }

    // MARK: Links

    private mutating func give(_ strays: InboundLinks, of loser: ObjectID, to winner: ObjectID) throws {
        for stray in strays.columns where stray.owner.key != loser.key {
            guard var owner = try twinIfThere(stray.owner) else { continue }
            let slot = stray.property.slot
            guard case .object(let now) = owner.image.values[slot], now.key == loser.key else { continue }
            let isFree = try !stray.isExclusive || journal.isFree(stray.property, of: owner.entity, winner, model)
            let leadsToItself = stray.owner.key == winner.key
            owner.image.values[slot] =
                isFree && !leadsToItself
                ? .object(ObjectID(entityName: stray.property.destinationName, key: winner.key)) : .null
            try noteEdit(of: stray.owner, [(stray.property, .value(.object(now)))])
            try put(owner.image, of: stray.owner)
        }
        for stray in strays.links where stray.owner.key != loser.key {
            let now = try journal.links(of: stray.property, in: stray.entity, sources: [stray.owner.key])
            var change = LinkChange(entity: stray.entity, property: stray.property)
            let before = now[stray.owner.key] ?? []
            let wanted = Set(before).subtracting([loser.key]).union(
                stray.owner.key == winner.key ? [] : [winner.key])
            change.replace(before, by: wanted.sorted(), of: stray.owner.key)
            if !change.isEmpty { try journal.change(change) }
            pending[stray.owner.key]?.links[stray.property.slot] = wanted.sorted()
            try noteEdit(of: stray.owner, [(stray.property, .links(stray.before))])
            result.changes.updated.append(stray.owner)
        }
    }

    // MARK: Reading and writing

    func entity(of id: ObjectID) throws -> ResolvedEntity { try model.model.requireEntity(named: id.entityName) }

    /// An object as it is, or will be; nil if there is none.
    private func twinIfThere(_ id: ObjectID) throws -> TwinFold.Twin? {
        let entity = try entity(of: id)
        if let image = pending[id.key] { return TwinFold.Twin(id: id, entity: entity, image: image) }
        guard let synced = model.entity(named: id.entityName),
            let image = try LocalImages(of: [id.key], synced, from: journal)[id.key]
        else { return nil }
        return TwinFold.Twin(id: id, entity: entity, image: image)
    }

    func twin(_ id: ObjectID) throws -> TwinFold.Twin {
        if let twin = try twinIfThere(id) { return twin }
        throw BackstitchError(.storeFailure, "\(id) was found by its values, and cannot be read", objectID: id)
    }

    private mutating func write(_ twin: TwinFold.Twin) throws {
        guard let synced = model.entity(named: twin.id.entityName) else { return }
        let key = twin.id.key
        pending[key] = nil
        let before = try LocalImages(of: [key], synced, from: journal)[key]
        try journal.upsert(twin.image.row(key, of: twin.entity))
        for property in synced.ownedLinks {
            var change = LinkChange(entity: twin.entity, property: property)
            change.replace(before?.links[property.slot] ?? [], by: twin.image.links[property.slot] ?? [], of: key)
            if !change.isEmpty { try journal.change(change) }
        }
        if before == nil { result.changes.inserted.append(twin.id) } else { result.changes.updated.append(twin.id) }
    }

    /// Notes properties of an object to be sent.
    private mutating func noteEdit(
        of id: ObjectID, _ changes: [(property: ResolvedProperty, base: OutboxEntry.Base)]
    ) throws {
        guard !changes.isEmpty, sendsChanges else { return }
        let number = try nextNumber()
        var entry =
            try journal.outbox(for: [id.key])[id.key]
            ?? OutboxEntry(objectID: id, kind: .update, sequence: number, firstSequence: number)
        entry.note(changes, number: number)
        try journal.putOutbox([entry])
        result.hasUnsent = true
    }

    private mutating func nextNumber() throws -> Int64 {
        if let number { return number }
        let next = try journal.takeTransactionNumber()
        number = next
        return next
    }
}

extension RecordImage {
    /// The values as one row.
    func row(_ key: ObjectKey, of entity: ResolvedEntity) -> RowBatch {
        var builder = RowBatchBuilder(entity: entity, capacity: 1)
        builder.beginRow(key: key, version: 1)
        for value in values { builder.append(value) }
        return builder.finish()
    }
}
