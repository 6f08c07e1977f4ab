/// Objects of a context in the order in which they came, each once. An object knows its place, so that nothing is
/// hashed; it can be in one such list of its context.
///
/// A class, so that a context has it as a constant: accesses to constants need no check of exclusiveness at run time.
final class ObjectList {
    private var objects: [ManagedObject?] = []
    /// How many objects there are.
    private(set) var count = 0

    /// Whether there are none.
    var isEmpty: Bool { count == 0 }

    /// The objects, in order.
    var values: [ManagedObject] { objects.compactMap { $0 } }

    /// Whether an object is in.
    func contains(_ object: ManagedObject) -> Bool {
        let place = Int(object.listPlace)
        return place < objects.count && objects[place] === object
    }

    /// Whether there is one of which `predicate` holds.
    func contains(where predicate: (ManagedObject) -> Bool) -> Bool {
        objects.contains { $0.map(predicate) == true }
    }

    /// Adds an object behind the others, unless it is in.
    func insert(_ object: ManagedObject) {
        guard !contains(object) else { return }
        object.listPlace = UInt32(truncatingIfNeeded: objects.count)
        objects.append(object)
        count += 1
    }

    /// The length of the list, with the places of objects that were taken out.
    var _length: Int { objects.count }

    /// Takes an object out if it is in.
    func remove(_ object: ManagedObject) {
        guard contains(object) else { return }
        objects[Int(object.listPlace)] = nil
        count -= 1
        if objects.count > 16, objects.count > count * 2 { close() }
    }

    /// Closes up the places of objects that were taken out. It moves fewer objects than were taken out since the last
    /// time.
    private func close() {
        objects = values
        for (place, object) in objects.enumerated() { object?.listPlace = UInt32(truncatingIfNeeded: place) }
    }

    /// Takes all out.
    func removeAll() {
        objects = []
        count = 0
    }
}

extension [ManagedObject] {
    /// In the order of their keys, which is that of their creation: most lists are in it already.
    var sortedByKey: [ManagedObject] {
        let isSorted = indices.dropFirst().allSatisfy { self[$0 - 1].key < self[$0].key }
        return isSorted ? self : sorted { $0.key < $1.key }
    }
}
