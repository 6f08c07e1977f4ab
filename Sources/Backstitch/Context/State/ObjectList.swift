/// Objects of a context in the order of their insertion, each once. Each object stores its place, so no hashing is
/// needed. An object can be in only one such list of its context.
///
/// It is a class, so that a context has it as a constant. Accesses to constants need no exclusivity check at run time.
final class ObjectList {
    private var objects: [ManagedObject?] = []
    /// The number of objects.
    private(set) var count = 0

    /// Whether the list has no objects.
    var isEmpty: Bool { count == 0 }

    /// The objects, in order.
    var values: [ManagedObject] { objects.compactMap { $0 } }

    /// Whether the list has an object.
    func contains(_ object: ManagedObject) -> Bool {
        let place = Int(object.listPlace)
        return place < objects.count && objects[place] === object
    }

    /// Whether `predicate` holds for any object.
    func contains(where predicate: (ManagedObject) -> Bool) -> Bool {
        objects.contains { $0.map(predicate) == true }
    }

    /// Appends an object, unless the list has it.
    func insert(_ object: ManagedObject) {
        guard !contains(object) else { return }
        object.listPlace = UInt32(truncatingIfNeeded: objects.count)
        objects.append(object)
        count += 1
    }

    /// The length of the list, with the places of removed objects.
    var _length: Int { objects.count }

    /// Removes an object, if the list has it.
    func remove(_ object: ManagedObject) {
        guard contains(object) else { return }
        objects[Int(object.listPlace)] = nil
        count -= 1
        if objects.count > 16, objects.count > count * 2 { close() }
    }

    /// Closes up the places of removed objects. It moves fewer objects than were removed since the last time.
    private func close() {
        objects = values
        for (place, object) in objects.enumerated() { object?.listPlace = UInt32(truncatingIfNeeded: place) }
    }

    /// Removes all objects from the list.
    func removeAll() {
        objects = []
        count = 0
    }
}

extension [ManagedObject] {
    /// The objects in the order of their keys, which is the order of their creation. Most lists are sorted already.
    var sortedByKey: [ManagedObject] {
        let isSorted = indices.dropFirst().allSatisfy { self[$0 - 1].key < self[$0].key }
        return isSorted ? self : sorted { $0.key < $1.key }
    }
}
