extension ManagedObject {
    /// Returns the value at the end of a path along to-one relationships; null if one of them leads nowhere.
    ///
    /// ```swift
    /// try note.value(forKeyPath: "folder.owner.name").string
    /// ```
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when a name on the path is no property of its entity, or leads
    ///   to many objects; else as ``value(forKey:)``. For many objects, use ``objects(forKey:)`` or fetch with a
    ///   predicate.
    /// - Complexity: O(names). Each object on the path that is not loaded costs a statement.
    public final func value(forKeyPath path: String) throws -> Value {
        var object: ManagedObject? = self
        var entity = entity
        var rest = path[...]
        // The path of a composite attribute's part is a property by itself.
        while entity.property(named: String(rest)) == nil, let point = rest.firstIndex(of: ".") {
            let name = String(rest[..<point])
            let property = try entity.requireProperty(named: name)
            guard let relationship = property.relationship, !relationship.isToMany else {
                throw BackstitchError(
                    .invalidRequest,
                    "\(entity.name).\(name) is \(property.words), and the path \"\(path)\" cannot go through it; a path leads along "
                        + "to-one relationships: go through objects(forKey:), or fetch with a predicate",
                    objectID: objectID,
                    key: path)
            }
            object = try object?.object(forKey: name)
            entity = object?.entity ?? context.model.destination(of: relationship)
            rest = rest[rest.index(after: point)...]
        }
        guard let object else {
            _ = try entity.requireProperty(named: String(rest))
            return .null
        }
        return try object.value(forKey: String(rest))
    }
}
