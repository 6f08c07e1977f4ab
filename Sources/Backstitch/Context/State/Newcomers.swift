/// The new objects of a turn of their context, each once. An object knows the turn, so that nothing is hashed.
struct Newcomers {
    private var list: [ManagedObject] = []
    /// How many there are.
    private(set) var count = 0
    let turn: UInt32

    /// None yet.
    init(turn: UInt32) { self.turn = turn }

    /// These, which are told of at once.
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

    /// The length of the list, with those that went.
    var _length: Int { list.count }

    /// - Returns: Whether it was in.
    mutating func remove(_ object: ManagedObject) -> Bool {
        guard contains(object) else { return false }
        object.newcomerTurn = 0
        count -= 1
        // Those that went are left out once they are the larger part.
        if list.count > 16, list.count > count * 2 { list = objects }
        return true
    }

    /// The objects, in the order in which they came.
    var objects: [ManagedObject] {
        if list.count == count { return list }
        // One that went is still in the list, and twice if it came again.
        var seen: Set<ManagedObject> = []
        return list.filter { contains($0) && seen.insert($0).inserted }
    }

    /// Ends the turn: what becomes of the objects later is of no account.
    mutating func settle() { self = Newcomers(objects) }
}
