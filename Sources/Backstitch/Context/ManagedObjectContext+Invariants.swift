extension ManagedObjectContext {
    /// Returns the faults in the context's books: identity map, change sets, edits, links and their inverses. Empty
    /// when there are none.
    ///
    /// For tests, after each step; it reads no store. Complexity: O(registered objects + loaded links).
    package func _checkInvariants() -> [String] {
        var checker = InvariantChecker(self)
        checker.checkRegistration()
        checker.checkChangeSets()
        checker.checkEdits()
        checker.checkDeltas()
        // A fault that fires before others' changes are merged reads one end of a link that the other end does not show
        // yet.
        if mailbox.isEmpty, parent?.untold.isEmpty ?? true { checker.checkInverses() }
        return checker.broken
    }
}

extension ManagedObjectContext {
    /// Objects that the context takes for stored, and that are not below it, after it has taken in what others have
    /// changed. Empty when all is well; for tests.
    package func _checkKnowledge() throws -> [String] {
        mergeChangesFromParent()
        var strangers: [String] = []
        let stored = registeredObjects.filter { $0.isLoaded && $0.state == .persistent }
        for (entity, objects) in Dictionary(grouping: stored, by: \.entity) {
            let present = try Set(source.currentRows(of: entity, keys: objects.map(\.key)).keys)
            strangers += objects.filter { !present.contains($0.key) }.map {
                "\(name ?? "the context") has \($0.objectID), which is not below it"
            }
        }
        return strangers
    }
}

extension PersistentStoreCoordinator {
    /// Cached rows that are not those of the store. Only without a writer at the same time.
    package func _checkInvariants() throws -> [String] {
        var broken: [String] = []
        for (entity, rows) in Dictionary(grouping: cache.all, by: \.batch.entity) {
            let stored = try store.rows(of: entity, keys: rows.map(\.key))
            let positions = Dictionary(uniqueKeysWithValues: stored.keys.enumerated().map { ($1, $0) })
            for row in rows {
                let position = positions[row.key]
                let isSame = position.map { row.isEqual(to: RowSnapshot(batch: stored, row: $0)) } ?? false
                if !isSame { broken.append("the cached row of \(entity.name) \(row.key) is not the stored one") }
            }
        }
        return broken
    }
}

extension RowSnapshot {
    fileprivate var key: ObjectKey { batch.keys[row] }

    fileprivate func isEqual(to other: RowSnapshot) -> Bool {
        version == other.version
            && batch.entity.columns.allSatisfy { batch.value(row, $0.slot) == other.batch.value(other.row, $0.slot) }
    }
}

/// Looks a context over.
private struct InvariantChecker {
    let context: ManagedObjectContext
    let objects: [ManagedObject]
    var broken: [String] = []

    init(_ context: ManagedObjectContext) {
        self.context = context
        objects = context.registeredObjects
    }

    private mutating func require(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { broken.append(message()) }
    }

    mutating func checkRegistration() {
        for object in objects {
            require(object.context === context, "\(object.objectID) is registered, but belongs to another context")
            require(
                context.registeredObject(object.key) === object, "\(object.objectID) is registered under another key")
            require(object.state != .vanished, "\(object.objectID) is gone, but registered")
            let isUnread = object.snapshot == nil && !object.isNew
            require(
                context.isKnownFault(object) == isUnread,
                "\(object.objectID) is \(isUnread ? "not read" : "read"), but the context thinks otherwise")
            require(
                object.collections.isEmpty || context.isKnownToHaveCollections(object),
                "\(object.objectID) has collections that the context does not know of")
        }
    }

    mutating func checkChangeSets() {
        for object in context.inserted.values {
            require(object.isNew, "\(object.objectID) is among the inserted, but not new")
        }
        for (key, object) in context.deleted.byKey {
            require(
                object.key == key && object.state == .deleted,
                "\(object.objectID) is among the deleted, but \(object.state)")
        }
        for object in context.updated.values {
            require(!object.isNew, "\(object.objectID) is among the updated, but new")
        }
        for object in objects {
            let isHeld =
                context.inserted.contains(object) || context.updated.contains(object)
                || context.deleted[object.key] === object
            require(!object.hasChanges || isHeld, "\(object.objectID) has changes, but the context does not hold it")
            require(object.isNew == context.inserted.contains(object), "\(object.objectID) is new, or not")
        }
    }

    mutating func checkEdits() {
        for object in objects {
            guard let edits = object.edits else {
                require(!object.isNew, "\(object.objectID) is new and has no values")
                continue
            }
            if object.isNew {
                require(
                    edits.changed.slots.count == object.entity.columnCount, "\(object.objectID) is new and lacks values"
                )
            } else if let snapshot = object.snapshot {
                for slot in edits.changed.slots where snapshot.batch.value(snapshot.row, slot) == edits[slot] {
                    broken.append("\(object.objectID).\(object.entity.properties[slot].name) is edited to what it is")
                }
            }
        }
    }

    mutating func checkDeltas() {
        for (end, delta) in context.linkDeltas.deltas {
            let property = context.model.entities[end.entityIndex].properties[end.slot]
            require(!delta.isEmpty, "an empty delta is kept at \(property.name)")
            require(delta.added.isDisjoint(with: delta.removed), "a link at \(property.name) is added and removed")
            for key in delta.added {
                guard let object = context.registeredObject(end.key), let members = object.collections[end.slot] else {
                    continue
                }
                require(members.contains(key), "\(object.objectID).\(property.name) lacks a link that was added")
            }
        }
    }

    /// Both ends of a link agree as far as they are in memory.
    mutating func checkInverses() {
        for object in objects where object.state == .persistent || object.state == .inserted {
            for property in object.entity.relationships {
                guard let relationship = property.relationship else { continue }
                let inverse = context.model.inverse(of: relationship)
                if relationship.storage == .column {
                    checkColumn(property, relationship, inverse, of: object)
                } else if let members = object.collections[property.slot] {
                    checkMembers(members, property, inverse, of: object)
                }
            }
        }
    }

    private mutating func checkColumn(
        _ property: ResolvedProperty, _ relationship: ResolvedRelationship, _ inverse: ResolvedProperty,
        of object: ManagedObject
    ) {
        guard !object.isFault, case .object(let id) = object.currentValue(ofColumn: property.slot),
            let target = context.registeredObject(id.key), target.state != .deleted,
            let members = target.collections[inverse.slot]
        else { return }
        require(
            members.contains(object.key), "\(object.objectID).\(property.name) is \(id), whose \(inverse.name) lacks it"
        )
    }

    private mutating func checkMembers(
        _ members: Set<ObjectKey>, _ property: ResolvedProperty, _ inverse: ResolvedProperty, of object: ManagedObject
    ) {
        for key in members {
            guard let member = context.registeredObject(key), member.state != .deleted, !member.isFault else {
                continue
            }
            if inverse.relationship?.storage == .column {
                require(
                    member.currentValue(ofColumn: inverse.slot) == .object(object.objectID),
                    "\(object.objectID).\(property.name) has \(member.objectID), whose \(inverse.name) is otherwise")
            } else if let back = member.collections[inverse.slot] {
                require(
                    back.contains(object.key),
                    "\(object.objectID).\(property.name) has \(member.objectID), whose \(inverse.name) lacks it")
            }
        }
    }
}
