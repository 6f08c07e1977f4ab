/// The objects of a context in memory, one for each identity. The map also knows the faults, and the objects with
/// loaded collections.
///
/// It holds no object: an object holds its context, and removes itself at its end. It calls neither the program nor the
/// context.
///
/// It is a class, so that a context has it as a constant. A struct would be checked for exclusive access as a whole at
/// each access. A look-up costs a step from the context to here, so loops over many rows take ``table`` before they
/// begin.
final class IdentityMap {
    /// All living objects, for loops over many rows. Such loops add only objects of rows. These are loaded and have no
    /// collections yet, so there is nothing else to note.
    let table = ObjectTable()
    /// Keys of faults, by entity.
    private var faults: [Int: Set<ObjectKey>] = [:]
    /// Keys of objects that may have loaded collections.
    private var withCollections: Set<ObjectKey> = []

    /// The object with that key.
    @inline(__always)
    subscript(key: ObjectKey) -> ManagedObject? { table[key] }

    /// The number of objects in memory.
    var count: Int { table.count }

    /// All objects, in the order of their registration.
    var objects: [ManagedObject] { table.all }

    /// Adds an object. It may be a fault.
    func register(_ object: ManagedObject) {
        table.insert(object)
        if object.isFault { faults[object.entity.index, default: []].insert(object.key) }
    }

    /// Removes an object, if it is registered.
    func unregister(_ object: ManagedObject) {
        guard table.remove(object) else { return }
        if object.mayHaveCollections { withCollections.removeAndShrink(object.key) }
        if !object.isLoaded { faults[object.entity.index]?.removeAndShrink(object.key) }
    }

    /// Removes all objects, because their context's work is done.
    func removeAll() {
        table.removeAll()
        faults = [:]
        withCollections = []
    }
}

// Faults.
extension IdentityMap {
    /// Notes that an object's values and collections were released.
    func noteFault(_ object: ManagedObject) {
        withCollections.removeAndShrink(object.key)
        faults[object.entity.index, default: []].insert(object.key)
    }

    /// Notes that an object has its row.
    func noteRow(of object: ManagedObject) { faults[object.entity.index]?.removeAndShrink(object.key) }

    /// Returns at most `limit` faults of an entity, to be loaded together. The key `first` is the first of them.
    func faults(of entity: ResolvedEntity, with first: ObjectKey, limit: Int) -> [ObjectKey] {
        var keys = [first]
        for key in faults[entity.index] ?? [] where key != first {
            guard keys.count < limit else { break }
            keys.append(key)
        }
        return keys
    }
}

// Collections.
extension IdentityMap {
    /// Notes that a collection of an object was loaded.
    func noteCollection(of object: ManagedObject) {
        object.mayHaveCollections = true
        withCollections.insert(object.key)
    }

    /// The objects that may have loaded collections.
    var objectsWithCollections: [ManagedObject] { withCollections.compactMap { table[$0] } }

    /// Drops the loaded collections of objects, if `predicate` says that these can be read again.
    func forgetStoredCollections(where predicate: (ManagedObject) -> Bool) {
        for object in objectsWithCollections where predicate(object) { object.collections = [:] }
    }

    /// Drops the loaded collections of all objects. They are read again at their next use.
    func forgetCollections() {
        for object in objectsWithCollections { object.collections = [:] }
        withCollections = []
    }
}

extension Set {
    /// Removes a member, and gives memory back if the set is mostly empty. A loop over a set takes time in proportion
    /// to its memory, and each fault that fires loops over the other faults.
    fileprivate mutating func removeAndShrink(_ member: Element) {
        guard remove(member) != nil, capacity > 256, count < capacity / 8 else { return }
        var rest = Set(minimumCapacity: count * 2)
        rest.formUnion(self)
        self = rest
    }
}

extension IdentityMap {
    /// Returns a message for each inconsistency in its data. Complexity: O(objects).
    func _checkInvariants() -> [String] {
        var broken = BrokenInvariants()
        let objects = objects
        broken.require(objects.count == count, "\(objects.count) objects are registered, and \(count) counted")
        for object in objects {
            let key = object.key, id = object.objectID
            broken.require(self[key] === object, "\(id) is registered under another key")
            broken.require(object.state != .vanished, "\(id) is gone, but registered")
            let isUnread = object.snapshot == nil && !object.isNew
            broken.require(
                (faults[object.entity.index]?.contains(key) ?? false) == isUnread,
                "\(id) is \(isUnread ? "not read" : "read"), but the context thinks otherwise")
            broken.require(
                object.collections.isEmpty || withCollections.contains(key),
                "\(id) has collections that the context does not know of")
            broken.require(
                object.mayHaveCollections || !withCollections.contains(key),
                "\(id) is among those with collections, and would not be taken out")
        }
        return broken.messages
    }
}
