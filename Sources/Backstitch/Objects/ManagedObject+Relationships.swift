extension ManagedObject {
    /// Returns the object at the far end of a to-one relationship; nil if there is none, or it has not arrived yet.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the entity has no such to-one relationship; errors of the
    ///   store.
    public final func object(forKey key: String) throws -> ManagedObject? {
        try destinations(of: relationship(key, isToMany: false)).first
    }

    /// Returns the objects of a to-many relationship.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the entity has no such to-many relationship; errors of
    ///   the store.
    /// - Complexity: O(members); one statement when the relationship is not loaded yet.
    public final func objects(forKey key: String) throws -> [ManagedObject] {
        try destinations(of: relationship(key, isToMany: true))
    }

    /// Points a to-one relationship to `object`, or nowhere. The inverse follows at once, even if this takes the object
    /// away from another one.
    public final func setObject(_ object: ManagedObject?, forKey key: String) throws {
        let property = try relationship(key, isToMany: false)
        try requireLinkable(object, property)
        try link(property, to: object)
    }

    /// Adds `object` to a to-many relationship, and this object to its inverse.
    public final func add(_ object: ManagedObject, to key: String) throws {
        let property = try relationship(key, isToMany: true)
        try requireLinkable(object, property)
        try add(object, to: property)
    }

    /// Removes `object` from a to-many relationship, and this object from its inverse.
    public final func remove(_ object: ManagedObject, from key: String) throws {
        let property = try relationship(key, isToMany: true)
        try requireLinkable(object, property)
        try remove(object, from: property)
    }

    /// The object of a to-one relationship; nil if there is none, or it has not arrived yet.
    public final subscript<Object: ManagedObject>(key: String, file: String = #fileID, line: Int = #line) -> Object? {
        get {
            context.reporting(nil, reading: self, at: (file, line)) {
                try object(forKey: key).map { try castMember($0, key) }
            }
        }
        set { context.reporting((), at: (file, line)) { try setObject(newValue, forKey: key) } }
    }

    /// The objects of a to-many relationship. Setting it adds and removes the differences; ``add(_:to:)`` avoids the
    /// comparison.
    public final subscript<Object: ManagedObject>(key: String, file: String = #fileID, line: Int = #line) -> Set<Object>
    {
        // Inlined, so that the set is made for its class. The general code of sets takes several times as long.
        @inlinable get {
            let members = readMembers(key, file, line)
            var set = Set<Object>(minimumCapacity: members.count)
            for member in members {
                guard let typed = member as? Object else { return refuse(member, as: Object.self, key, file, line) }
                set.insert(typed)
            }
            return set
        }
        set {
            context.reporting((), at: (file, line)) {
                let property = try relationship(key, isToMany: true)
                for object in newValue { try requireLinkable(object, property) }
                let present = try Set(destinations(of: property)), wanted = Set(newValue.map { $0 as ManagedObject })
                for object in present.subtracting(wanted) { try remove(object, from: property) }
                for object in newValue where !present.contains(object) { try add(object, to: property) }
            }
        }
    }

    @usableFromInline
    final func readMembers(_ key: String, _ file: String, _ line: Int) -> [ManagedObject] {
        context.reporting([], reading: self, at: (file, line)) {
            try destinations(of: relationship(key, isToMany: true), inOrder: false)
        }
    }

    /// Reports a member whose class is not the requested one.
    @usableFromInline
    final func refuse<Object: ManagedObject>(
        _ member: ManagedObject, as type: Object.Type, _ key: String, _ file: String, _ line: Int
    ) -> Set<Object> {
        context.reporting([], reading: self, at: (file, line)) { [try castMember(member, key)] }
    }

    final func castMember<Object: ManagedObject>(_ object: ManagedObject, _ key: String) throws -> Object {
        if let typed = object as? Object { return typed }
        throw BackstitchError(
            .invalidRequest,
            "\(entity.name).\(key) leads to \(object.entity.name), whose class is \(type(of: object)), not "
                + "\(Object.self)", objectID: objectID, key: key)
    }

    final func relationship(_ key: String, isToMany: Bool) throws -> ResolvedProperty {
        let property = try entity.requireProperty(named: key)
        guard property.relationship?.isToMany == isToMany else {
            throw BackstitchError(
                .invalidRequest,
                "\(entity.name).\(key) is \(property.words), and is used as a \(isToMany ? "to-many" : "to-one") "
                    + "relationship; give its Swift property the type that matches the model", objectID: objectID,
                key: key)
        }
        return property
    }

    final func requireLinkable(_ object: ManagedObject?, _ property: ResolvedProperty) throws {
        try requireWritable(property.name)
        guard let object else { return }
        guard object.context === context else {
            throw BackstitchError(
                .invalidRequest,
                "\(object.objectID) belongs to another context than \(objectID); fetch it in this one with "
                    + "object(with:)", objectID: objectID, key: property.name)
        }
        guard object.entity.name == property.destinationName || object.entity.lineage.contains(property.destinationName)
        else {
            throw BackstitchError(
                .invalidValue,
                "\(entity.name).\(property.name) leads to \(property.destinationName), not to "
                    + "\(object.objectID)", objectID: objectID, key: property.name)
        }
        guard !object.isGone else {
            throw BackstitchError(
                .objectNotFound,
                "\(objectID): \(entity.name).\(property.name) cannot lead to \(object.objectID), which was deleted or never saved; "
                    + "fetch or make another object", objectID: objectID, key: property.name)
        }
    }
}

// Changes of links. Each pair of inverses stores its links in one place; the loaded collections of both ends follow.
extension ManagedObject {
    /// Returns the objects at the far end, with unsaved changes, without deleted objects that are hidden.
    ///
    /// - Parameter inOrder: Whether their order matters.
    final func destinations(of property: ResolvedProperty, inOrder: Bool = true) throws -> [ManagedObject] {
        guard let relationship = property.relationship, state != .vanished else { return [] }
        let destination = context.model.destination(of: relationship)
        if relationship.storage == .column {
            guard case .object(let id) = try value(ofColumn: property.slot), !context.unsaved.hides(id.key) else {
                return []
            }
            if let target = context.registeredObject(id.key), target.state != .vanished, !target.isFault {
                holdTarget(target, of: property)
                return [target]
            }
            let targets = try context.existing([id.key], of: destination)
            if let target = targets.first { holdTarget(target, of: property) }
            return targets
        }
        guard inOrder, relationship.orderSlot != nil else {
            return try visibleMembers(of: property, relationship, inOrder: inOrder)
        }
        if let order = knownOrder(of: property) { return try members(in: order, of: destination) }
        return try readOrder(of: property)
    }

    /// Returns the objects at the far end of a relationship that is no column, sorted by key if `inOrder` is set.
    final func visibleMembers(
        of property: ResolvedProperty, _ relationship: ResolvedRelationship, inOrder: Bool
    ) throws -> [ManagedObject] {
        var keys = try members(of: property, relationship)
        if context.unsaved.hidesSome { keys = keys.filter { !context.unsaved.hides($0) } }
        return try context.existing(
            Array(keys), of: context.model.destination(of: relationship), inOrder: inOrder)
    }

    /// Returns the keys of the objects at the far end of a relationship that is no column, with unsaved changes.
    final func members(of property: ResolvedProperty, _ relationship: ResolvedRelationship) throws -> Set<ObjectKey> {
        if let members = collections[property.slot] { return members.keys }
        var members: Set<ObjectKey> = []
        if context.unsaved.mayHaveStoredLinks(self) { members = try context.fireRelationship(property, of: self) }
        context.unsaved.links.apply(to: &members, at: LinkEnd(self, property))
        collections[property.slot] = Members(members)
        context.identityMap.noteCollection(of: self)
        return members
    }

    /// Makes a to-one relationship lead to `target`.
    final func link(_ property: ResolvedProperty, to target: ManagedObject?) throws {
        guard let relationship = property.relationship else { return }
        if relationship.storage == .column {
            try pointColumn(property, relationship, to: target)
            return
        }
        // The column is at the other end: the present object lets go, then the target points here.
        let inverse = context.model.inverse(of: relationship)
        for other in try destinations(of: property) where other !== target {
            try other.link(inverse, to: nil)
        }
        try target?.link(inverse, to: self)
    }

    private func pointColumn(
        _ property: ResolvedProperty, _ relationship: ResolvedRelationship, to target: ManagedObject?
    ) throws {
        let old = try value(ofColumn: property.slot)
        let new = target.map { Value.object(ObjectID(entityName: property.destinationName, key: $0.key)) } ?? .null
        guard old != new else { return }
        let inverse = context.model.inverse(of: relationship)
        if !(inverse.relationship?.isToMany ?? false), let target {
            // One-to-one: the object that pointed to the target lets go.
            for other in try target.destinations(of: inverse) where other !== self {
                try other.pointColumn(property, relationship, to: nil)
            }
        }
        try setColumn(property.slot, to: new)
        if let slot = inverse.relationship?.orderSlot, try !value(ofColumn: slot).isNull {
            try setColumn(slot, to: .null)
        }
        if case .object(let id) = old { context.unlink(key, from: LinkEnd(id.key, inverse, relationship)) }
        if let target {
            context.link(key, to: LinkEnd(target.key, inverse, relationship))
            try target.append(self, to: inverse)
        }
    }

    final func add(_ object: ManagedObject, to property: ResolvedProperty) throws {
        guard let relationship = property.relationship else { return }
        let inverse = context.model.inverse(of: relationship)
        if relationship.storage == .inverseColumn {
            try object.link(inverse, to: self)
        } else {
            guard try !members(of: property, relationship).contains(object.key) else { return }
            context.link(object.key, to: LinkEnd(self, property))
            context.link(key, to: LinkEnd(object, inverse))
            try append(object, to: property)
            try object.append(self, to: inverse)
            noteChangedLink(property, to: object, inverse)
        }
    }

    final func remove(_ object: ManagedObject, from property: ResolvedProperty) throws {
        guard let relationship = property.relationship,
            try members(of: property, relationship).contains(object.key)
        else { return }
        let inverse = context.model.inverse(of: relationship)
        if relationship.storage == .inverseColumn {
            try object.link(inverse, to: nil)
        } else {
            context.unlink(object.key, from: LinkEnd(self, property))
            context.unlink(key, from: LinkEnd(object, inverse))
            try forgetPlace(of: object, in: property)
            try object.forgetPlace(of: self, in: inverse)
            noteChangedLink(property, to: object, inverse)
        }
    }

    /// Notes the change of a link at the end that owns it.
    private func noteChangedLink(_ property: ResolvedProperty, to object: ManagedObject, _ inverse: ResolvedProperty) {
        if property.relationship?.storage == .ownedLinks {
            context.noteChange(of: self, at: property.slot)
        } else {
            context.noteChange(of: object, at: inverse.slot)
        }
    }
}
