/// The new objects of a turn of their context, each once. Each object stores its turn, so no hashing is needed.
struct Newcomers {
    private var list: [ManagedObject] = []
    /// The number of new objects.
    private(set) var count = 0
    let turn: UInt32

    /// Creates an empty list for a turn.
    init(turn: UInt32) { self.turn = turn }

    /// Creates a list of objects that are told of at once, outside a turn.
    init(_ objects: [ManagedObject]) {
        turn = 0
        list = objects
        count = objects.count
    }

    func contains(_ object: ManagedObject) -> Bool { object.newcomerTurn == turn }

    mutating func insert(_ object: ManagedObject) {
        guard !contains(object) else { return }
        object.newcomerTurn = turn
        list.append(object)
        count += 1
    }

    /// The length of the list, with removed objects.
    var _length: Int { list.count }

    /// Removes an object from the new objects.
    ///
    /// - Returns: Whether the object was among them.
    mutating func remove(_ object: ManagedObject) -> Bool {
        guard contains(object) else { return false }
        object.newcomerTurn = 0
        count -= 1
        // Removed objects are dropped from the list when they are more than half of it.
        if list.count > 16, list.count > count * 2 { list = objects }
        return true
    }

    /// The objects, in the order of their insertion.
    var objects: [ManagedObject] {
        if list.count == count { return list }
        // A removed object is still in the list. If it was inserted again, it is in the list twice.
        var seen: Set<ManagedObject> = []
        return list.filter { contains($0) && seen.insert($0).inserted }
    }

    /// Ends the turn: later changes of the objects do not matter.
    mutating func settle() { self = Newcomers(objects) }
}
