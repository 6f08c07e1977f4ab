extension ManagedObject {
    /// The objects of an ordered to-many relationship, in order. Setting it arranges the objects in this order, and
    /// adds and removes the differences.
    public final subscript<Object: ManagedObject>(key: String, file: String = #fileID, line: Int = #line) -> [Object] {
        get {
            context.reporting([], reading: self, at: (file, line)) {
                try objects(forKey: key).map { try castMember($0, key) }
            }
        }
        set { context.reporting((), at: (file, line)) { try setObjects(newValue, forKey: key) } }
    }

    /// Inserts `object` into an ordered to-many relationship before the object at `index`, or at the end when `index`
    /// is the number of objects. An object of the relationship is moved; `index` then counts the other objects only.
    ///
    /// An order is stored so that this changes one row: the row of `object` (one-to-many), or the row of this object
    /// (many-to-many). Only after some 200 insertions between the same two objects, the rows of their neighbours change
    /// as well.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the entity has no such ordered relationship, or `index`
    ///   is out of bounds; errors of the store.
    /// - Complexity: O(√members); O(members · log members) for the first call after the relationship was read.
    public final func insert(_ object: ManagedObject, into key: String, at index: Int) throws {
        let property = try orderedRelationship(key)
        try requireLinkable(object, property)
        let order = try order(of: property)
        try requireIndex(index, in: 0...order.keys.count - (order.keys.contains(object.key) ? 1 : 0), key)
        try add(object, to: property)
        try place(object, at: index, in: property)
    }

    /// Moves the object at `source` in an ordered to-many relationship to the place `target`.
    ///
    /// - Throws: As ``insert(_:into:at:)``.
    /// - Complexity: As ``insert(_:into:at:)``.
    public final func moveObject(in key: String, from source: Int, to target: Int) throws {
        let property = try orderedRelationship(key)
        let order = try order(of: property)
        try requireIndex(source, in: 0...max(order.keys.count - 1, 0), key)
        try requireIndex(target, in: 0...max(order.keys.count - 1, 0), key)
        guard source < order.keys.count else { throw outOfBounds(source, 0, key) }
        try insert(member(at: source, in: order, of: property), into: key, at: target)
    }

    /// Replaces the object at `index` of an ordered to-many relationship by `object`.
    ///
    /// - Throws: As ``insert(_:into:at:)``; also when `object` is at another place of the relationship.
    /// - Complexity: As ``insert(_:into:at:)``.
    public final func replaceObject(in key: String, at index: Int, with object: ManagedObject) throws {
        let property = try orderedRelationship(key)
        let order = try order(of: property)
        guard index >= 0, index < order.keys.count else { throw outOfBounds(index, order.keys.count - 1, key) }
        try requireLinkable(object, property)
        let present = try member(at: index, in: order, of: property)
        if present === object { return }
        if order.keys.contains(object.key) { throw givenTwice(key) }
        try remove(present, from: property)
        try insert(object, into: key, at: index)
    }

    /// Makes these the objects of an ordered to-many relationship, in this order. Objects that keep their order among
    /// each other are not written.
    ///
    /// - Throws: As ``insert(_:into:at:)``; also when an object is given twice.
    /// - Complexity: O(objects · log objects).
    public final func setObjects(_ objects: [ManagedObject], forKey key: String) throws {
        let property = try orderedRelationship(key)
        for object in objects { try requireLinkable(object, property) }
        let wanted = Set(objects)
        guard wanted.count == objects.count else { throw givenTwice(key) }
        let present = try Set(destinations(of: property))
        for object in present.subtracting(wanted) { try remove(object, from: property) }
        for object in objects where !present.contains(object) { try add(object, to: property) }
        try arrange(objects, in: property)
    }

    private func givenTwice(_ key: String) -> BackstitchError {
        BackstitchError(
            .invalidValue, "\(entity.name).\(key) cannot have an object twice", objectID: objectID, key: key)
    }

    private func orderedRelationship(_ key: String) throws -> ResolvedProperty {
        let property = try relationship(key, isToMany: true)
        guard property.relationship?.orderSlot != nil else {
            throw BackstitchError(
                .invalidRequest, "\(entity.name).\(key) is not ordered; describe it with ordered: true",
                objectID: objectID,
                key: key)
        }
        return property
    }

    private func requireIndex(_ index: Int, in bounds: ClosedRange<Int>, _ key: String) throws {
        if !bounds.contains(index) { throw outOfBounds(index, bounds.upperBound, key) }
    }

    private func outOfBounds(_ index: Int, _ last: Int, _ key: String) -> BackstitchError {
        BackstitchError(
            .invalidRequest, "\(entity.name).\(key) has no place \(index); the last is \(last)", objectID: objectID,
            key: key)
    }
}
