extension ManagedObjectContext {
    /// The number of faults that one statement loads, at most, including the fault that fires.
    private static let faultBatch = 200

    /// Loads a fault's row, and with it other faults of the entity. An object without a row vanishes, unless it has
    /// unsaved changes.
    func fire(_ object: ManagedObject) throws {
        try requireOpen()
        let keys = identityMap.faults(of: object.entity, with: object.key, limit: Self.faultBatch)
        for snapshot in try reading().snapshots(of: object.entity, keys: keys) {
            if let object = registeredObject(snapshot.batch.keys[snapshot.row]), object.snapshot == nil, !object.isNew {
                fill(object, with: snapshot)
            }
        }
        if object.snapshot == nil { loseRow(of: object) }
    }

    /// Reads the stored members of a relationship that is no column. Their rows are loaded along.
    func fireRelationship(_ property: ResolvedProperty, of object: ManagedObject) throws -> Set<ObjectKey> {
        try requireOpen()
        let related = try reading().related(by: property, of: object.entity, sources: [object.key])
        return Set(related.links.map { related.rows.keys[$0.row] })
    }

    /// Returns the objects at the far end of a relationship of a deleted object. These links were left by its deletion,
    /// or made elsewhere meanwhile. A relationship that was a column of its row gives none.
    func objects(
        leadingBack property: ResolvedProperty, to key: ObjectKey, of entity: ResolvedEntity
    ) throws -> [ManagedObject] {
        guard let relationship = property.relationship, !property.isColumn else { return [] }
        let related = try reading().related(by: property, of: entity, sources: [key])
        var keys = Set(related.links.map { related.rows.keys[$0.row] })
        unsaved.links.apply(to: &keys, at: LinkEnd(entityIndex: entity.linkIndex, slot: property.slot, key: key))
        return try existing(Array(keys), of: model.destination(of: relationship))
    }

    /// Loads a relationship of several objects with one statement.
    func prefetch(_ property: ResolvedProperty, of objects: [ManagedObject]) throws {
        let sources = objects.filter { !$0.isNew && $0.state != .vanished && $0.collections[property.slot] == nil }
        if sources.count > 1 { _ = try readCollections(property, of: sources) }
    }

    /// Reads a relationship of several objects with one statement. The relationship is no column, and the objects have
    /// not loaded it. Unsaved links are laid over the result.
    ///
    /// - Returns: The rows at the far end; nil without objects.
    func readCollections(_ property: ResolvedProperty, of sources: [ManagedObject]) throws -> RowBatch? {
        guard let entity = sources.first?.entity else { return nil }
        let related = try reading().related(by: property, of: entity, sources: sources.map(\.key))
        let members = Self.members(related)
        for object in sources {
            var own = members[object.key] ?? []
            unsaved.links.apply(to: &own, at: LinkEnd(object, property))
            object.collections[property.slot] = Members(own)
            identityMap.noteCollection(of: object)
        }
        return related.rows
    }

    /// Groups the far ends of links by their sources. Links mostly arrive source by source.
    private static func members(_ related: RelatedRows) -> [ObjectKey: Set<ObjectKey>] {
        var members: [ObjectKey: Set<ObjectKey>] = [:]
        var rest = related.links[...]
        while let source = rest.first?.source {
            let run = rest.prefix { $0.source == source }
            rest = rest.dropFirst(run.count)
            let keys = run.lazy.map { related.rows.keys[$0.row] }
            if members[source] == nil { members[source] = Set(keys) } else { members[source]?.formUnion(keys) }
        }
        return members
    }

    /// Returns the existing objects with these keys, sorted by key if `inOrder` is set. Objects that are not in memory
    /// are loaded with one statement.
    func existing(
        _ keys: [ObjectKey], of entity: ResolvedEntity, inOrder: Bool = true
    ) throws -> [ManagedObject] {
        var objects: [ManagedObject] = []
        var missing: [ObjectKey] = []
        for key in keys {
            guard let object = registeredObject(key), object.entity.isRelative(of: entity) else {
                missing.append(key)
                continue
            }
            if object.isFault { try fire(object) }
            if object.state != .vanished { objects.append(object) }
        }
        if !missing.isEmpty {
            try requireOpen()
            objects += try reading().snapshots(of: entity, keys: missing).map { object(for: $0) }
        }
        return inOrder && objects.count > 1 ? objects.sorted { $0.key < $1.key } : objects
    }

    /// Adds `key` to the collection at `end`, in memory and for the save.
    func link(_ key: ObjectKey, to end: LinkEnd) {
        settleLinks(of: key, at: end)
        unsaved.link(key, to: end)
        undoManager?.record(.linked(key, end))
        guard let object = registeredObject(end.key) else { return notifier.noteLinks(at: end, isHeld: false) }
        object.collections[end.slot]?.insert(key)
        noteChange(of: object, at: end.slot)
    }

    /// Removes `key` from the collection at `end`, in memory and for the save.
    func unlink(_ key: ObjectKey, from end: LinkEnd) {
        settleLinks(of: key, at: end)
        unsaved.unlink(key, from: end)
        undoManager?.record(.unlinked(key, end))
        guard let object = registeredObject(end.key) else { return notifier.noteLinks(at: end, isHeld: false) }
        object.collections[end.slot]?.remove(key)
        noteChange(of: object, at: end.slot)
    }

    /// Checks the store before an unsaved change of a link is taken back. If the same change was made elsewhere, the
    /// opposite change must be saved.
    private func settleLinks(of key: ObjectKey, at end: LinkEnd) {
        guard unsaved.links.isUnsure(key, at: end) else { return }
        let entity = model.entities[end.entityIndex]
        reporting(()) {
            let related = try reading().related(by: entity.properties[end.slot], of: entity, sources: [end.key])
            unsaved.settleLinks(at: end, stored: Set(related.links.map { related.rows.keys[$0.row] }))
        }
    }
}

extension ManagedObject: PredicateSubject {
    /// The value for predicates, with unsaved changes.
    public final func predicateValue(_ property: ResolvedProperty) throws -> Value {
        try visibleValue(of: property)
    }

    /// The objects at the far end of a relationship, as predicates see them.
    public final func predicateDestinations(_ property: ResolvedProperty) throws -> [any PredicateSubject] {
        try destinations(of: property)
    }
}

extension ManagedObject: PredicateArgument {
    /// The object's identity, as a constant in a predicate.
    public final var predicateExpression: FetchExpression { .value(.object(objectID)) }
}
