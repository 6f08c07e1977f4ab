/// The rows and links that a save writes, and the rows of its objects afterwards. Planning writes nothing.
struct SavePlan {
    private(set) var request: SaveChangesRequest
    private(set) var changes = StoreChanges()
    /// The objects whose rows the save writes, each with its row after the save.
    private(set) var written: [(object: ManagedObject, snapshot: RowSnapshot)] = []

    private let context: ManagedObjectContext

    /// Plans the save of a context. Its deletions must have been propagated before.
    init(_ context: ManagedObjectContext) throws {
        request = SaveChangesRequest(author: context.transactionAuthor, contextName: context.name)
        request.assignments = context.unsaved.assignments
        request.zones = context.unsaved.zones
        request.givesKeys = context.unsaved.givesKeys
        self.context = context
        context.writeOrders()
        try planInserts(context.unsaved.inserted.filter { $0.state == .inserted })
        try planUpdates(context.unsaved.updated.filter { $0.isUpdated && $0.hasChangedColumns })
        try planDeletes(context.unsaved.deleted.objects.filter { !$0.isNew })
        planLinks()
        changes.deleted.sort()
        changes.changedProperties = changedProperties
    }

    /// The properties that the save changes in any object, by entity.
    private var changedProperties: [String: Set<String>] {
        var names: [String: Set<String>] = [:]
        for update in request.updates {
            let changed = update.changed.reduce(into: PropertySet()) { $0.formUnion($1) }
            names[update.rows.entity.name, default: []]
                .formUnion(changed.slots.map { update.rows.entity.properties[$0].name })
        }
        for change in request.links { names[change.entity.name, default: []].insert(change.property.name) }
        return names
    }

    private mutating func planInserts(_ objects: [ManagedObject]) throws {
        for (entity, objects) in Self.byEntity(objects) {
            var builder = RowBatchBuilder(entity: entity, capacity: objects.count)
            for object in objects {
                if !entity.hasExternalColumns, let edits = object.edits {
                    edits.appendRow(key: object.key, to: &builder)
                    continue
                }
                builder.beginRow(key: object.key, version: 1)
                for column in 0..<entity.columnCount {
                    builder.append(stored(object.edits?[column] ?? .null, entity.properties[column]))
                }
            }
            let batch = builder.finish()
            request.inserts.append(batch)
            changes.inserted += objects.map(\.objectID)
            written += objects.enumerated().map { ($1, RowSnapshot(batch: batch, row: $0)) }
        }
    }

    private mutating func planUpdates(_ objects: [ManagedObject]) throws {
        for (entity, objects) in Self.byEntity(objects) {
            var rows = RowBatchBuilder(entity: entity, capacity: objects.count)
            var originals = RowBatchBuilder(entity: entity, capacity: objects.count)
            var changed: [PropertySet] = []
            var present: [ManagedObject] = []
            for object in objects {
                guard let snapshot = try object.loadedSnapshot(), let edits = object.edits else { continue }
                originals.appendRow(snapshot.row, of: snapshot.batch)
                rows.beginRow(key: object.key, version: snapshot.version)
                for column in 0..<entity.columnCount {
                    if let value = edits[column] {
                        rows.append(stored(value, entity.properties[column]))
                    } else {
                        rows.appendCell(column, row: snapshot.row, of: snapshot.batch)
                    }
                }
                changed.append(edits.changed)
                present.append(object)
            }
            let batch = rows.finish()
            guard batch.count > 0 else { continue }
            request.updates.append(RowUpdate(rows: batch, originals: originals.finish(), changed: changed))
            changes.updated += present.map(\.objectID)
            let saved = batch.advancingVersions()
            written += present.enumerated().map { ($1, RowSnapshot(batch: saved, row: $0)) }
        }
    }

    private mutating func planDeletes(_ objects: [ManagedObject]) throws {
        for (entity, objects) in Self.byEntity(objects) {
            var builder = RowBatchBuilder(entity: entity, capacity: objects.count)
            for object in objects {
                guard let snapshot = try object.loadedSnapshot() else { continue }
                builder.appendRow(snapshot.row, of: snapshot.batch)
                changes.deleted.append(object.objectID)
            }
            let batch = builder.finish()
            if batch.count > 0 { request.deletes.append(batch) }
        }
    }

    /// Plans changed many-to-many links from the owners' side. Links of deleted owners go with their rows.
    private mutating func planLinks() {
        var byProperty: [[Int]: LinkChange] = [:]
        var owners: Set<ObjectID> = []
        for (end, delta) in context.unsaved.links.deltas {
            let entity = context.registeredObject(end.key)?.entity ?? context.model.entities[end.entityIndex]
            let property = entity.properties[end.slot]
            guard property.relationship?.storage == .ownedLinks, context.unsaved.deleted[end.key] == nil else {
                continue
            }
            owners.insert(ObjectID(entityName: entity.name, key: end.key))
            var change =
                byProperty[[entity.index, end.slot]] ?? LinkChange(entity: entity, property: property)
            change.added += delta.added.sorted().map { LinkChange.Link(source: end.key, target: $0) }
            change.removed += delta.removed.sorted().map { LinkChange.Link(source: end.key, target: $0) }
            byProperty[[entity.index, end.slot]] = change
        }
        request.links = byProperty.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        if owners.isEmpty { return changes.updated.sort() }
        changes.updated = Array(owners.subtracting(changes.inserted).union(changes.updated)).sorted()
    }

    /// Returns a value as rows keep it. Values of a child context stay unchanged, because its parent's save names their
    /// bytes.
    private mutating func stored(_ value: Value, _ property: ResolvedProperty) -> Value {
        context.parent == nil ? context.coordinator.stored(value, property, &request.assets) : value
    }

    private static func byEntity(_ objects: [ManagedObject]) -> [(ResolvedEntity, [ManagedObject])] {
        var groups: [Int: (ResolvedEntity, [ManagedObject])] = [:]
        if let first = objects.first, objects.allSatisfy({ $0.entity === first.entity }) {
            groups[0] = (first.entity, objects)
        } else {
            for object in objects { groups[object.entity.index, default: (object.entity, [])].1.append(object) }
        }
        return groups.sorted { $0.key < $1.key }.map { ($0.value.0, $0.value.1.sortedByKey) }
    }
}

extension PersistentStoreCoordinator {
    /// Whether a file has the content that a saved value names, and the store has this content.
    func names(_ value: Value, _ saved: Value) -> Bool {
        guard case .file(let file) = value, saved == .asset(file.reference) else { return false }
        return store.assets.contains(file.reference)
    }

    /// Returns a value as rows keep it. Bytes of an external attribute become their name, and are noted among the
    /// contents to keep.
    func stored(_ value: Value, _ property: ResolvedProperty, _ assets: inout AssetContents) -> Value {
        guard property.attribute?.allowsExternalStorage == true else { return value }
        switch value {
        case .data(let data):
            let reference = store.assets.reference(to: data)
            assets[reference] = .data(data)
            return .asset(reference)
        case .file(let file):
            // Several files may have this content, and one of them may have gone.
            if assets[file.reference]?.isThere != true { assets[file.reference] = .file(file) }
            return .asset(file.reference)
        default: return value
        }
    }
}
