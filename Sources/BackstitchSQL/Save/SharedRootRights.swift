import Backstitch

/// Refuses a save beyond the user's rights to single shared objects of another user. The server applies the same rules,
/// so such a save could not be sent.
struct SharedRootRights {
    private let zones: [Int64: SharedRoots]
    private let names: [Int64: String]
    private let table: ZoneTable
    private let model: ResolvedModel
    private let reader: RowReader
    /// The changed and deleted objects of these zones. Each has the keys of all objects above it before the save.
    private var before: [ObjectKey: Set<ObjectKey>] = [:]

    /// Reads the present state before the save is written.
    ///
    /// - Returns: nil if the store has no such zone. The check costs nothing then.
    init?(
        _ zones: ZoneTable.Zones, before request: SaveChangesRequest, _ connection: any SQLConnection,
        _ statements: ModelStatements
    ) throws {
        guard !zones.roots.isEmpty else { return nil }
        (self.zones, names, table) = (zones.roots, zones.names, ZoneTable(connection))
        (model, reader) = (statements.model, RowReader(connection, statements: statements))
        let batches = request.deletes + request.updates.map(\.originals)
        let ids = Set(try own(batches.flatMap(Self.ids)).map { $0.id })
        guard !ids.isEmpty else { return }
        var chain = chain
        for rows in batches { chain.note(rows) }
        try chain.climb(from: Array(ids))
        for id in ids { before[id.key] = chain.keys(above: id.key) }
    }

    private var chain: ParentChain {
        ParentChain(model) { [reader] entity, keys in try reader.rows(of: entity, keys: keys) }
    }

    private static func ids(_ rows: RowBatch) -> [ObjectID] { rows.keys.indices.map { rows.objectID(at: $0) } }

    /// The objects in these zones, with their zone.
    private func own(_ ids: [ObjectID]) throws -> [(id: ObjectID, zone: Int64)] {
        guard !ids.isEmpty else { return [] }
        let places = try table.zones(of: ids.map(\.key))
        return ids.compactMap { id in places[id.key].flatMap { zones[$0] == nil ? nil : (id, $0) } }
    }

    /// Checks all changes of a save. New objects already have their zones.
    ///
    /// - Throws: ``BackstitchError/Code/permissionDenied`` with a fault for each object.
    func check(_ request: SaveChangesRequest, _ effects: [LinkEffect]) throws {
        let inserted = request.inserts.flatMap(Self.ids), deleted = request.deletes.flatMap(Self.ids)
        let updated = request.updates.flatMap { Self.ids($0.rows) }
        let linked = effects.flatMap { effect in
            effect.owners.map { ObjectID(entityName: effect.entity.name, key: $0) }
        }
        let objects = try own(Set(inserted + deleted + updated + linked).sorted())
        guard !objects.isEmpty else { return }
        let isNew = Set(inserted.map(\.key)), isGone = Set(deleted.map(\.key)).subtracting(isNew)
        var chain = chain
        for rows in request.inserts + request.updates.map(\.rows) { chain.note(rows) }
        try chain.climb(from: objects.map { $0.id }.filter { !isGone.contains($0.key) })
        let faults = objects.compactMap { id, zone -> BackstitchError? in
            let roots = zones[zone] ?? SharedRoots()
            let old = before[id.key], new = isGone.contains(id.key) ? nil : chain.keys(above: id.key)
            return reason(id, roots, from: isNew.contains(id.key) ? nil : old ?? new, to: new).map { reason in
                BackstitchError(
                    .permissionDenied, "\(id) is in the zone \"\(names[zone] ?? "")\" of another user: \(reason)",
                    objectID: id)
            }
        }
        guard !faults.isEmpty else { return }
        throw BackstitchError.combining(
            faults, code: .permissionDenied,
            summary: "\(faults.count) objects have changes that this user has no right to:")
    }

    /// The reason to refuse a change; nil if it is allowed.
    ///
    /// - Parameter old: The keys of the object and of all objects above it before the save; nil for a new object.
    /// - Parameter new: The same after the save; nil for a deleted object.
    private func reason(
        _ id: ObjectID, _ roots: SharedRoots, from old: Set<ObjectKey>?, to new: Set<ObjectKey>?
    ) -> String? {
        if let old, !roots.mayWrite(below: old) {
            return "this user may only read it; ask its owner for the right to change it"
        }
        let isRoot = roots.rights[id.key] != nil
        guard let new else {
            return isRoot
                ? "it is the root of a share, so only its owner may delete it; leave the share to remove it here" : nil
        }
        guard roots.mayWrite(below: new) else {
            return "its parent would not be an object that this user may change; give it such a parent"
        }
        guard let old, old != new else { return nil }
        if isRoot { return "it is the root of a share, so only its owner may give it another parent" }
        guard roots.mayLeave(roots.roots(among: old).subtracting(new)) else {
            return "it would leave its share, and only the owner and administrators may do that"
        }
        return nil
    }
}
