/// The conflicts of a child's save: objects that changed in the parent after the child read them. A parent acts as the
/// store of its children.
///
/// Changes that the child has merged are settled before. The conflicts here come from changes it was not told of, or
/// has not merged.
struct ParentConflicts {
    private let child: ManagedObjectContext
    private let source: ParentSource
    private var faults: [BackstitchError] = []
    /// The objects that the parent has after the save.
    private var present: Set<ObjectKey> = []

    /// - Parameter changed: The changed objects of the save. An object counts too if only its links change.
    /// - Parameter inserted: The new objects of the save.
    init(
        _ plan: SavePlan, _ changed: [ManagedObject], _ inserted: [ManagedObject], of child: ManagedObjectContext,
        in source: ParentSource
    ) throws {
        (self.child, self.source) = (child, source)
        for object in inserted { try compare(new: object) }
        try comparePresence(of: changed)
        for update in plan.request.updates { try compare(update.originals, "changed") }
        for rows in plan.request.deletes { try compare(rows, "deleted") }
        for change in plan.request.links where !change.added.isEmpty { try compareEnds(of: change) }
    }

    /// Throws if there are conflicts.
    func refuse() throws {
        guard !faults.isEmpty else { return }
        throw BackstitchError.combining(
            faults, code: .saveConflict,
            summary: "\(faults.count) objects conflict with the parent context:")
    }

    private mutating func compare(new object: ManagedObject) throws {
        present.insert(object.key)
        guard let mine = source.parent.registeredObject(object.key), !mine.isGone else { return }
        if mine.entity.name != object.entity.name { throw BackstitchError.takenKey(object.objectID, by: mine.objectID) }
        refuse(object.objectID, "was inserted in a child context, but its parent already has it")
    }

    private mutating func comparePresence(of objects: [ManagedObject]) throws {
        for (entity, objects) in Dictionary(grouping: objects, by: \.entity) {
            let found = Set(
                try source.parent.existing(objects.map(\.key), of: entity).lazy.filter { !$0.isGone }.map(\.key))
            present.formUnion(found)
            for object in objects where !found.contains(object.key) {
                refuse(object.objectID, "was changed in a child context, but is no longer in its parent")
            }
        }
    }

    /// Compares rows as the child read them with the parent's rows. A row that the parent deletes too is no conflict. A
    /// row that the parent lacks was found before.
    private mutating func compare(_ read: RowBatch, _ deed: String) throws {
        let rows = try source.rows(of: read.entity, keys: Array(read.keys))
        let places = Dictionary(uniqueKeysWithValues: rows.keys.enumerated().map { ($1, $0) })
        for (row, key) in read.keys.enumerated() {
            guard let place = places[key] else { continue }
            let (old, new) = (RowSnapshot(batch: read, row: row), RowSnapshot(batch: rows, row: place))
            if child.isSame(old, new, of: read.entity) { continue }
            refuse(
                read.objectID(at: row),
                "was \(deed) in a child context, but the parent has changed it since it was read")
        }
    }

    private mutating func compareEnds(of change: LinkChange) throws {
        let destination = change.property.destinationName
        let ends =
            change.added.map { ObjectID(entityName: change.entity.name, key: $0.source) }
            + change.added.map { ObjectID(entityName: destination, key: $0.target) }
        for (name, ids) in Dictionary(grouping: Set(ends).filter { !present.contains($0.key) }, by: \.entityName) {
            let entity = try child.model.requireEntity(named: name)
            let found = Set(
                try source.parent.existing(ids.map(\.key), of: entity).lazy.filter { !$0.isGone }.map(\.key))
            present.formUnion(found)
            for id in ids.sorted() where !found.contains(id.key) {
                refuse(id, "was linked in a child context, but is no longer in its parent")
            }
        }
    }

    private mutating func refuse(_ id: ObjectID, _ reason: String) {
        guard !faults.contains(where: { $0.objectID == id }) else { return }
        faults.append(BackstitchError(.saveConflict, "\(id) \(reason)", objectID: id))
    }
}
