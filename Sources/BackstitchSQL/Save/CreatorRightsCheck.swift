import Backstitch

/// Refuses a save beyond the user's rights to the objects of the public database. The server applies the same rights,
/// so such a save could not be sent.
struct CreatorRightsCheck {
    private let rights: CreatorRights
    private let creators: CreatorTable
    private let records: RecordTable
    /// The objects of the save whose links to deleted objects end. The user does not change them otherwise.
    private var unlinked: Set<ObjectID> = []
    private var inserted: Set<ObjectID> = []
    private var deleted: Set<ObjectID> = []
    private var changed: Set<ObjectID> = []

    /// Collects the changes of a save.
    ///
    /// - Parameter going: The objects that no longer exist after the whole request. The save may be a part of it.
    /// - Returns: nil if the store has no such rights, or the save is held and so not sent. The check costs nothing
    ///   then.
    init?(
        _ zones: ZoneTable.Zones, _ request: SaveChangesRequest, _ effects: [LinkEffect], going: Set<ObjectKey>,
        _ connection: any SQLConnection
    ) {
        guard let rights = zones.creators, !request.isHeld else { return nil }
        (self.rights, creators, records) = (rights, CreatorTable(connection), RecordTable(connection))
        inserted = Set(request.inserts.flatMap(Self.ids))
        deleted = Set(request.deletes.flatMap(Self.ids))
        for update in request.updates { note(update, going) }
        for effect in effects { note(effect, request, going) }
    }

    private static func ids(_ rows: RowBatch) -> [ObjectID] { rows.keys.indices.map { rows.objectID(at: $0) } }

    private mutating func note(_ update: RowUpdate, _ going: Set<ObjectKey>) {
        let entity = update.rows.entity
        // Changes of attributes that stay on the device need no right.
        let sent = PropertySet(entity.columns.filter(\.isSent).map(\.slot))
        for row in update.rows.keys.indices {
            let slots = update.changed[row].slots.filter(sent.contains)
            guard !slots.isEmpty else { continue }
            let isUnlinked = slots.allSatisfy { update.endsLink(row, $0, to: going) }
            if isUnlinked { unlinked.insert(update.rows.objectID(at: row)) }
            if !isUnlinked { changed.insert(update.rows.objectID(at: row)) }
        }
    }

    private mutating func note(_ effect: LinkEffect, _ request: SaveChangesRequest, _ going: Set<ObjectKey>) {
        var asked: Set<ObjectKey> = []
        for change in request.links where change.entity == effect.entity && change.property.slot == effect.property.slot
        {
            asked.formUnion(change.added.map(\.source))
            asked.formUnion(change.removed.lazy.filter { !going.contains($0.target) }.map(\.source))
        }
        for owner in effect.owners {
            let id = ObjectID(entityName: effect.entity.name, key: owner)
            if asked.contains(owner) { changed.insert(id) } else { unlinked.insert(id) }
        }
    }

    /// Checks the changes.
    ///
    /// - Returns: The objects of others that only lose their links to deleted objects. The user has no right to change
    ///   them, so this is not sent. On the server the links end by themselves.
    /// - Throws: ``BackstitchError/Code/permissionDenied`` with a fault for each object.
    func check() throws -> Set<ObjectKey> {
        // New objects have no records. They are looked up only if it matters that a deleted one may be made again.
        let new = inserted.filter { !rights[$0.entityName].mayCreate || !rights[$0.entityName].mayChangeOwn }
        let asked = new.union(deleted).union(changed).union(unlinked)
        guard !asked.isEmpty else { return [] }
        let known = try known(asked)
        let faults = new.union(deleted).union(changed).sorted().compactMap { id -> BackstitchError? in
            let record = known[id.key] ?? .missing
            let isGone = deleted.contains(id) && !inserted.contains(id)
            let isAllowed =
                isGone ? rights.mayDelete(id.entityName, record) : rights.mayChange(id.entityName, record)
            return isAllowed ? nil : fault(id, record)
        }
        guard faults.isEmpty else {
            throw BackstitchError.combining(
                faults, code: .permissionDenied,
                summary: "\(faults.count) objects of the public database have changes that this user has no right to:")
        }
        let edited = Set(changed.union(inserted).map(\.key))
        let withheld = unlinked.filter { id in
            !edited.contains(id.key) && !rights.mayChange(id.entityName, known[id.key] ?? .missing)
        }
        return Set(withheld.map(\.key))
    }

    private func known(_ ids: Set<ObjectID>) throws -> [ObjectKey: CreatorRights.Record] {
        let keys = ids.map(\.key).sorted(), creators = try creators.creators(of: keys)
        let states = try records.states(for: keys.filter { creators[$0] == nil })
        return keys.reduce(into: [:]) { $0[$1] = CreatorRights.Record(creator: creators[$1], state: states[$1]) }
    }

    private func fault(_ id: ObjectID, _ record: CreatorRights.Record) -> BackstitchError {
        let entity = id.entityName
        let reason =
            switch record {
            case .missing:
                "this user has no right to create objects of \(entity) in the public database; ask the operator of the "
                    + "server for the right \"create\""
            case .created(let creator?) where rights.isOther(creator):
                "the user \(creator) has created it in the public database, and this user has no right to change or "
                    + "delete objects of \(entity) that others have created; change a copy, or ask the operator of the "
                    + "server for the right \"write\""
            case .created:
                "this user has no right to change or delete objects of \(entity) in the public database; ask the "
                    + "operator of the server for the right \"write\""
            }
        return BackstitchError(.permissionDenied, "\(id) may not be saved: \(reason)", objectID: id)
    }
}

extension ResolvedProperty {
    /// Whether a synced store sends the column's values.
    fileprivate var isSent: Bool { !isDerived && attribute?.syncDirection.uploads ?? true }
}

extension RowUpdate {
    /// Whether a changed column of a row was a link to one of these objects, and now is none.
    fileprivate func endsLink(_ row: Int, _ column: Int, to going: Set<ObjectKey>) -> Bool {
        guard rows.entity.properties[column].relationship != nil, rows.isNull(row, column),
            !originals.isNull(row, column)
        else { return false }
        return going.contains(originals.key(row, column))
    }
}
