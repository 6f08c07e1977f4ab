/// A parent context as the layer below its children. They see its unsaved changes, and save into it.
struct ParentSource: RowSource {
    let parent: ManagedObjectContext

    func fetch(_ request: StoreFetchRequest) throws -> RowBatch { try batch(of: objects(for: request), request.entity) }

    func fetchKeys(_ request: StoreFetchRequest) throws -> [ObjectKey] { try objects(for: request).map(\.key) }

    func count(_ request: StoreFetchRequest) throws -> Int { try objects(for: request).count }

    private func objects(for request: StoreFetchRequest) throws -> [ManagedObject] {
        try parent.requireOpen()
        parent.followParent()
        return try parent.objects(for: request)
    }

    /// Gives all rows at once, regardless of `size`, because the parent's unsaved objects have no cursor. There is a
    /// second reason: a child is told of a change in its parent only if it has the object. So it must have all objects
    /// before the first is given.
    func forEachBatch(_ request: StoreFetchRequest, size: Int, _ body: (RowBatch) throws -> Void) throws {
        let rows = try fetch(request)
        if rows.count > 0 { try body(rows) }
    }

    /// Returns the values as the store has them. If a request is to see unsaved changes, the context itself answers it.
    func fetchDictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        try parent.reading().fetchDictionaries(request)
    }

    func rows(of entity: ResolvedEntity, keys: [ObjectKey]) throws -> RowBatch {
        try batch(of: parent.existing(keys, of: entity).filter { !$0.isGone }, entity)
    }

    func related(by property: ResolvedProperty, of entity: ResolvedEntity, sources: [ObjectKey]) throws -> RelatedRows {
        let objects = try parent.existing(sources, of: entity)
        try parent.prefetch(property, of: objects)
        var destinations: [ObjectKey: ManagedObject] = [:]
        var pairs: [(source: ObjectKey, target: ObjectKey)] = []
        func add(_ targets: [ManagedObject], of source: ObjectKey) {
            for target in targets where !target.isGone {
                destinations[target.key] = target
                pairs.append((source, target.key))
            }
        }
        for object in objects { add(try object.destinations(of: property), of: object.key) }
        for key in Set(sources).subtracting(objects.map(\.key)).sorted() {
            add(try parent.objects(leadingBack: property, to: key, of: entity), of: key)
        }
        let sorted = destinations.values.sorted { $0.key < $1.key }
        let positions = Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($1.key, $0) })
        guard let relationship = property.relationship else {
            return RelatedRows(rows: try batch(of: [], entity), links: [])
        }
        return RelatedRows(
            rows: try batch(of: sorted, parent.model.destination(of: relationship)),
            links: pairs.compactMap { pair in positions[pair.target].map { (pair.source, $0) } })
    }

    /// Puts a child's changes into the parent's objects; the parent's own save writes them.
    ///
    /// - Throws: ``BackstitchError/Code/saveConflict``, with a fault for each object, when the child changes or deletes
    ///   objects that are not in the parent as the child read them. Nothing has changed then.
    func save(_ plan: SavePlan, from child: ManagedObjectContext) throws {
        let changed = child.updatedObjects
        parent.forgetOrders()
        defer { parent.forgetOrders() }
        let inserted = child.insertedObjects.filter { $0.state == .inserted }
        try ParentConflicts(plan, changed, inserted, of: child, in: self).refuse()
        parent.unsaved.takeAssignments(of: child.unsaved)
        // New objects are made first, because they may lead to each other in any order.
        for object in inserted {
            if let mine = parent.registeredObject(for: object.objectID), mine.state == .deleted {
                parent.takeBackDeletion(of: mine)
            } else {
                let mine = try parent.insertObject(keeping: object.objectID)
                if child.unsaved.mayHaveStoredLinks(object) { parent.unsaved.noteReturn(of: mine) }
            }
        }
        for object in inserted + changed { try apply(object, to: parent.object(with: object.objectID)) }
        for change in plan.request.links { try apply(change) }
        // Links give objects places in an order. The child's places replace these afterwards.
        parent.writeOrders()
        for object in inserted + changed { try applyPlaces(of: object, to: parent.object(with: object.objectID)) }
        parent.unsaved.forgetOrders()
        for object in child.deletedObjects { parent.delete(try parent.object(with: object.objectID)) }
    }

    private func apply(_ object: ManagedObject, to mine: ManagedObject) throws {
        for (slot, value) in object.transients?.changes ?? [:] {
            mine.setTransient(object.entity.properties[slot], to: value)
        }
        guard let edits = object.edits else { return }
        let places = parent.model.orderColumns(of: object.entity)
        for column in edits.changed.slots where !places.contains(column) {
            let property = object.entity.properties[column]
            let value = edits[column] ?? .null
            if property.attribute != nil {
                try mine.setColumn(column, to: value)
            } else if case .object(let id) = value {
                try mine.link(property, to: parent.object(with: id))
            } else {
                try mine.link(property, to: nil)
            }
        }
    }

    private func applyPlaces(of object: ManagedObject, to mine: ManagedObject) throws {
        guard let edits = object.edits else { return }
        for column in parent.model.orderColumns(of: object.entity).slots {
            if let value = edits[column] { try mine.setColumn(column, to: value) }
        }
    }

    private func apply(_ change: LinkChange) throws {
        let destination = change.property.destinationName
        for (links, isAdded) in [(change.removed, false), (change.added, true)] {
            for link in links {
                let owner = try parent.object(with: ObjectID(entityName: change.entity.name, key: link.source))
                let target = try parent.object(with: ObjectID(entityName: destination, key: link.target))
                if isAdded {
                    try owner.add(target, to: change.property.name)
                } else {
                    try owner.remove(target, from: change.property)
                }
            }
        }
    }

    /// Returns the objects' present values as rows. The version is the stored row's version; the parent's save will
    /// check it.
    private func batch(of objects: [ManagedObject], _ entity: ResolvedEntity) throws -> RowBatch {
        var builder = RowBatchBuilder(entity: entity, capacity: objects.count)
        for object in objects {
            builder.beginRow(key: object.key, version: try object.loadedSnapshot()?.version ?? 0)
            for column in 0..<entity.columnCount {
                builder.append(try object.value(ofColumn: column))
            }
        }
        return builder.finish()
    }
}
