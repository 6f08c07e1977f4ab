import Backstitch

extension StoreContent {
    /// Writes all of a save. When it throws, the content is half written and must be discarded: the store works on a
    /// copy.
    ///
    /// Deletes are applied first, since a save may delete an object and insert it again.
    ///
    /// - Throws: ``BackstitchError/Code/saveConflict`` with a fault for each object that has changed since it was read;
    ///   ``BackstitchError/Code/invalidRequest`` when the request names a zone.
    mutating func save(_ request: SaveChangesRequest) throws {
        try request.requireNoZones()
        var conflicts: [BackstitchError] = []
        for rows in request.deletes { delete(rows, &conflicts) }
        for update in request.updates { change(update, &conflicts) }
        for rows in request.inserts { insert(rows, &conflicts) }
        try Self.refuse(conflicts)
        try requireEnds(of: request)
        for change in request.links { apply(change) }
        transactionNumber += 1
    }

    /// Checks that both ends of each new link exist. Links raise no versions, so a deleted object with changed links
    /// alone would not be noticed otherwise.
    private func requireEnds(of request: SaveChangesRequest) throws {
        let deleted = Set(request.deletes.flatMap(\.keys))
        var missing: Set<ObjectID> = []
        for change in request.links {
            guard let relationship = change.property.relationship else { continue }
            let destination = model.destination(of: relationship)
            for link in change.added {
                for (key, entity) in [(link.source, change.entity), (link.target, destination)]
                where row(key, of: entity) == nil && !deleted.contains(key) {
                    missing.insert(ObjectID(entityName: entity.name, key: key))
                }
            }
        }
        try Self.refuse(
            missing.sorted().map { id in
                let message =
                    "\(id) cannot be linked, because it is not in the store: it was deleted since it was read, "
                    + "or is not saved yet; drop the link, or insert it anew"
                return BackstitchError(.saveConflict, message, objectID: id)
            })
    }

    mutating func delete(_ rows: RowBatch, _ conflicts: inout [BackstitchError]) {
        for index in 0..<rows.count where isUnchanged(index, of: rows, &conflicts) {
            remove(rows.keys[index], of: rows.entity)
        }
    }

    /// Writes rows with the next version after the version of their reading.
    mutating func change(_ update: RowUpdate, _ conflicts: inout [BackstitchError]) {
        let rows = update.rows
        for index in 0..<rows.count where isUnchanged(index, of: rows, &conflicts) {
            put(Self.row(index, of: rows, version: rows.versions[index] + 1), rows.keys[index], of: rows.entity)
        }
    }

    mutating func insert(_ rows: RowBatch, _ conflicts: inout [BackstitchError]) {
        for index in 0..<rows.count {
            let id = rows.objectID(at: index)
            if let present = row(id.key, of: rows.entity) {
                conflicts.append(
                    present.entityName == id.entityName
                        ? BackstitchError(
                            .saveConflict,
                            "\(id) is in the store already; fetch it, or insert an object with a key of its own",
                            objectID: id)
                        : Self.takenKey(id, by: present.entityName))
                continue
            }
            put(Self.row(index, of: rows, version: 1), id.key, of: rows.entity)
        }
        refuseTakenKeys(of: rows, &conflicts)
    }

    /// Refuses keys that belong to rows of other tables: a key belongs to one object, of any entity. Another row in the
    /// same table is a conflict of its own.
    private func refuseTakenKeys(of rows: RowBatch, _ conflicts: inout [BackstitchError]) {
        let name = Self.table(of: rows.entity)
        for (table, others) in tables where table != name {
            for index in 0..<rows.count {
                guard let other = others[rows.keys[index]] else { continue }
                conflicts.append(Self.takenKey(rows.objectID(at: index), by: other.entityName))
            }
        }
    }

    private static func takenKey(_ id: ObjectID, by entityName: String) -> BackstitchError {
        BackstitchError(
            .invalidRequest,
            "\(id) cannot be made: \(entityName)/\(id.key.uuidString) has its key, and no two objects of a store have one "
                + "key; give it another", objectID: id)
    }

    static func refuse(_ conflicts: [BackstitchError]) throws {
        guard let first = conflicts.first else { return }
        guard conflicts.count > 1 else { throw first }
        let lines = conflicts.map { "  - \($0.message)" }.joined(separator: "\n")
        throw BackstitchError(
            first.code, "\(conflicts.count) objects cannot be written:\n\(lines)", faults: conflicts)
    }

    /// Whether the stored row still has the version of its reading. Only this check keeps savers from overwriting each
    /// other.
    private func isUnchanged(_ index: Int, of rows: RowBatch, _ conflicts: inout [BackstitchError]) -> Bool {
        let (id, read) = (rows.objectID(at: index), rows.versions[index])
        let stored = row(id.key, of: rows.entity)?.version
        if stored == read { return true }
        let message =
            stored.map { "\(id) was changed since it was read (version \(read), now \($0)); refresh it and save again" }
            ?? "\(id) was deleted since it was read (version \(read)); drop the changes, or insert it anew"
        conflicts.append(BackstitchError(.saveConflict, message, objectID: id))
        return false
    }

    private static func row(_ index: Int, of rows: RowBatch, version: Int64) -> Row {
        Row(entityName: rows.entityName(at: index), version: version, values: rows.values(at: index))
    }
}
