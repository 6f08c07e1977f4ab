/// The objects of a context that are in memory, one for each identity: which of them live, which are faults, and which
/// have loaded collections.
///
/// It holds no object: an object holds its context, and takes itself out when it goes. It calls neither the program nor
/// the context.
///
/// A class, so that a context has it as a constant: a struct would be checked for exclusiveness as a whole at each
/// access. A look-up costs a step from the context to here; loops over many rows take ``table`` before they begin.
final class IdentityMap {
    /// Every object that lives, for loops over many rows. They put in objects of rows only: those are loaded and have
    /// no collections yet, so there is nothing else to note.
    let table = ObjectTable()
    /// Keys of faults, by entity.
    private var faults: [Int: Set<ObjectKey>] = [:]
    /// Keys of objects that may have loaded collections.
    private var withCollections: Set<ObjectKey> = []

    /// The object with that key.
    @inline(__always)
    subscript(key: ObjectKey) -> ManagedObject? { table[key] }

    /// How many objects there are.
    var count: Int { table.count }

    /// All objects, in the order in which they came.
    var objects: [ManagedObject] { table.all }

    /// Puts an object in, which may be a fault.
    func register(_ object: ManagedObject) {
        table.insert(object)
        if object.isFault { faults[object.entity.index, default: []].insert(object.key) }
    }

    /// Takes an object out, if it is in.
    func unregister(_ object: ManagedObject) {
        guard table.remove(object) else { return }
        if object.mayHaveCollections { withCollections.removeAndShrink(object.key) }
        if !object.isLoaded { faults[object.entity.index]?.removeAndShrink(object.key) }
    }

    /// Takes all out: their context's work is done.
    func removeAll() {
        table.removeAll()
        faults = [:]
        withCollections = []
    }
}

// Faults.
extension IdentityMap {
    /// Notes that an object's values were let go of, those of its collections too.
    func noteFault(_ object: ManagedObject) {
        withCollections.removeAndShrink(object.key)
        faults[object.entity.index, default: []].insert(object.key)
    }

    /// Notes that an object has its row.
    func noteRow(of object: ManagedObject) { faults[object.entity.index]?.removeAndShrink(object.key) }

    /// Faults of an entity, `first` among them, to be loaded together.
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

    /// Has objects forget what their collections hold, where `predicate` says that these can be read again.
    func forgetStoredCollections(where predicate: (ManagedObject) -> Bool) {
        for object in objectsWithCollections where predicate(object) { object.collections = [:] }
    }

    /// Has all objects forget what their collections hold; they are read again when they are used.
    func forgetCollections() {
        for object in objectsWithCollections { object.collections = [:] }
        withCollections = []
    }
}

extension Set {
    /// Takes a member out, and gives memory back that is mostly empty: to go through a set takes time in proportion to
    /// its memory, and each fault that fires goes through the others.
    fileprivate mutating func removeAndShrink(_ member: Element) {
        guard remove(member) != nil, capacity > 256, count < capacity / 8 else { return }
        var rest = Set(minimumCapacity: count * 2)
        rest.formUnion(self)
        self = rest
    }
}

extension IdentityMap {
    /// Returns where its books are wrong. Complexity: O(objects).
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
