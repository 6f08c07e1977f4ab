/// The objects of a context by key, without holding them: a table with open addressing, since every fetched object goes
/// through it twice.
///
/// The objects stand in a list, in the order in which they came; places that are found by a key's hash have their
/// numbers in it. An object knows its number, so that it is taken out without a search and without a look at its place:
/// those lie in no order. Beside each place lies a byte of its key's hash, so that a search looks at no object but the
/// one it finds, and most of what it looks at stays in the processor's cache. Keys may come from others, who could
/// choose them so that they fall on one place; a number that differs from process to process is mixed in.
///
/// A class, so that a context has it as a constant: accesses to constants need no check of exclusiveness at run time.
final class ObjectTable {
    /// By place: a byte of the hash, or nothing.
    private var tags: UnsafeMutablePointer<UInt8>
    /// By place: where in the list its object is, or was.
    private var numbers: UnsafeMutablePointer<UInt32>
    /// Nil where an object was.
    private var objects: UnsafeMutablePointer<Unmanaged<ManagedObject>?>
    private var mask: Int
    /// How many objects there are.
    private(set) var count = 0
    /// The length of the list.
    private var used = 0
    private let seed: UInt64

    private static let smallest = 16
    private static let empty: UInt8 = 0

    init() {
        var hasher = Hasher()
        hasher.combine(0)
        seed = UInt64(truncatingIfNeeded: hasher.finalize()) | 1
        mask = Self.smallest - 1
        (tags, numbers, objects) = Self.places(Self.smallest)
    }

    deinit { deallocate() }

    /// The object with that key.
    @inline(__always)
    subscript(key: ObjectKey) -> ManagedObject? {
        let hash = hash(of: key)
        let tag = Self.tag(hash)
        var place = Int(truncatingIfNeeded: hash) & mask
        while tags[place] != Self.empty {
            if tags[place] == tag, let object = objects[Int(numbers[place])],
                object._withUnsafeGuaranteedRef({ $0.key == key })
            {
                return object.takeUnretainedValue()
            }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Puts an object in, in the place of the one with its key if there is one.
    func insert(_ object: ManagedObject) {
        if let present = self[object.key] { _ = remove(present) }
        insertNew(object)
    }

    /// Puts an object in whose key is not in.
    @inline(__always)
    func insertNew(_ object: ManagedObject) {
        reserve(1)
        object.tableNumber = UInt32(truncatingIfNeeded: used)
        objects[used] = Unmanaged.passUnretained(object)
        enter(object.key, used)
        used &+= 1
        count &+= 1
    }

    /// Makes room for so many more objects.
    @inline(__always)
    func reserve(_ more: Int) {
        if used + more > Self.limit(mask) { rebuild(for: count + more) }
    }

    /// Takes an object out, if it is in. A search passes its place from then on, until a key of the same hash takes it
    /// or the table is built anew. So keys that come and go leave one such place each, however often they do.
    ///
    /// - Returns: Whether it was.
    @inline(__always)
    func remove(_ object: ManagedObject) -> Bool {
        let number = Int(object.tableNumber)
        guard number < used, objects[number]?.toOpaque() == Unmanaged.passUnretained(object).toOpaque() else {
            return false
        }
        objects[number] = nil
        count &-= 1
        return true
    }

    /// Takes all out.
    func removeAll() {
        deallocate()
        (tags, numbers, objects) = Self.places(Self.smallest)
        mask = Self.smallest - 1
        count = 0
        used = 0
    }

    /// All objects, in the order in which they came.
    var all: [ManagedObject] {
        var all: [ManagedObject] = []
        all.reserveCapacity(count)
        for number in 0..<used {
            if let object = objects[number] { all.append(object.takeUnretainedValue()) }
        }
        return all
    }

    @inline(__always)
    private func enter(_ key: ObjectKey, _ number: Int) {
        let hash = hash(of: key)
        let tag = Self.tag(hash)
        var place = Int(truncatingIfNeeded: hash) & mask
        // Only a place with the same tag is looked at more closely, so that most steps stay among the tags.
        while tags[place] != Self.empty {
            if tags[place] == tag, objects[Int(numbers[place])] == nil { break }
            place = (place + 1) & mask
        }
        tags[place] = tag
        numbers[place] = UInt32(truncatingIfNeeded: number)
    }

    /// How many places a search for a key looks at.
    func _stepsOfSearch(for key: ObjectKey) -> Int {
        let start = Int(truncatingIfNeeded: hash(of: key)) & mask
        var steps = 0
        while tags[(start + steps) & mask] != Self.empty {
            let object = objects[Int(numbers[(start + steps) & mask])]
            steps += 1
            if object?.takeUnretainedValue().key == key { break }
        }
        return steps
    }

    @inline(__always)
    private func hash(of key: ObjectKey) -> UInt64 {
        let product = (key.low ^ seed).multipliedFullWidth(by: key.high ^ 0x9E37_79B9_7F4A_7C15)
        let mixed = (product.high ^ product.low) &* seed
        return mixed ^ mixed >> 32
    }

    @inline(__always)
    private static func tag(_ hash: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 57) | 0x80 }

    /// How long the list may get: a quarter of the places stays empty, so that searches end.
    @inline(__always)
    private static func limit(_ mask: Int) -> Int { (mask + 1) / 4 * 3 }

    /// Makes room for as many objects as are wanted, and leaves out where some were.
    private func rebuild(for wanted: Int) {
        var capacity = Self.smallest
        while wanted * 2 > capacity { capacity *= 2 }
        let (oldTags, oldNumbers, oldObjects, oldUsed) = (tags, numbers, objects, used)
        (tags, numbers, objects) = Self.places(capacity)
        mask = capacity - 1
        used = 0
        for old in 0..<oldUsed {
            guard let object = oldObjects[old] else { continue }
            objects[used] = object
            let number = used
            enter(
                object._withUnsafeGuaranteedRef {
                    $0.tableNumber = UInt32(truncatingIfNeeded: number)
                    return $0.key
                }, number)
            used += 1
        }
        oldTags.deallocate()
        oldNumbers.deallocate()
        oldObjects.deallocate()
    }

    private func deallocate() {
        tags.deallocate()
        numbers.deallocate()
        objects.deallocate()
    }

    private static func places(
        _ capacity: Int
    ) -> (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<Unmanaged<ManagedObject>?>) {
        let tags = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        tags.initialize(repeating: empty, count: capacity)
        let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
        numbers.initialize(repeating: 0, count: capacity)
        let objects = UnsafeMutablePointer<Unmanaged<ManagedObject>?>.allocate(capacity: limit(capacity - 1))
        objects.initialize(repeating: nil, count: limit(capacity - 1))
        return (tags, numbers, objects)
    }
}
