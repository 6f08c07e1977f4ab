/// The objects of a context by key. The table does not hold them. It uses open addressing, because every fetched object
/// passes through it twice.
///
/// The objects are in a list, in the order of their insertion. A key's hash leads to a place, and the place has the
/// object's number in the list. Each object stores its number. It is therefore removed without a search and without an
/// access to its place: places lie in no order.
///
/// Beside each place is a byte of its key's hash. A search therefore touches only the object it finds, and most of its
/// memory stays in the processor's cache. Keys may be chosen by others, in such a way that all lead to one place. To
/// prevent this, a number that differs from process to process is mixed into the hash.
///
/// It is a class, so that a context has it as a constant. Accesses to constants need no exclusivity check at run time.
final class ObjectTable {
    /// By place: a byte of the hash; 0 for an empty place.
    private var tags: UnsafeMutablePointer<UInt8>
    /// By place: the number in the list of its present or former object.
    private var numbers: UnsafeMutablePointer<UInt32>
    /// The list, by number; nil for a removed object.
    private var objects: UnsafeMutablePointer<Unmanaged<ManagedObject>?>
    private var mask: Int
    /// The number of objects.
    private(set) var count = 0
    /// The length of the list, with removed objects.
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

    /// Adds an object. It replaces an object with the same key.
    func insert(_ object: ManagedObject) {
        if let present = self[object.key] { _ = remove(present) }
        insertNew(object)
    }

    /// Adds an object whose key is not in the table.
    @inline(__always)
    func insertNew(_ object: ManagedObject) {
        reserve(1)
        object.tableNumber = UInt32(truncatingIfNeeded: used)
        objects[used] = Unmanaged.passUnretained(object)
        enter(object.key, used)
        used &+= 1
        count &+= 1
    }

    /// Makes room for `more` further objects.
    @inline(__always)
    func reserve(_ more: Int) {
        if used + more > Self.limit(mask) { rebuild(for: count + more) }
    }

    /// Removes an object, if the table has it. A search still passes its place, until a key of the same hash takes the
    /// place or the table is rebuilt. A key that is added and removed many times leaves only one such place.
    ///
    /// - Returns: Whether the table had the object.
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

    /// Removes all objects from the table.
    func removeAll() {
        deallocate()
        (tags, numbers, objects) = Self.places(Self.smallest)
        mask = Self.smallest - 1
        count = 0
        used = 0
    }

    /// All objects, in the order of their insertion.
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
        // Only places with the same tag are examined further, so most steps stay among the tags.
        while tags[place] != Self.empty {
            if tags[place] == tag, objects[Int(numbers[place])] == nil { break }
            place = (place + 1) & mask
        }
        tags[place] = tag
        numbers[place] = UInt32(truncatingIfNeeded: number)
    }

    /// The number of places that a search for a key examines.
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

    /// The maximum length of the list. A quarter of the places stays empty, so that searches end.
    @inline(__always)
    private static func limit(_ mask: Int) -> Int { (mask + 1) / 4 * 3 }

    /// Makes room for `wanted` objects, and drops the places of removed objects.
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
