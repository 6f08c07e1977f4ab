/// The objects of a context by key, without holding them: a table with open addressing, since every fetched object goes through it
/// twice.
///
/// Beside each place lies a byte of its key's hash, so that a search looks at no object but the one it finds, and most of what it looks at
/// stays in the processor's cache. Keys may come from others, who could choose them so that they fall on one place; a number that
/// differs from process to process is mixed in.
struct ObjectTable: ~Copyable {
    private var tags: UnsafeMutablePointer<UInt8>
    private var objects: UnsafeMutablePointer<Unmanaged<ManagedObject>?>
    private var mask: Int
    /// How many objects there are.
    private(set) var count = 0
    /// Places that are not empty: objects, and where some were.
    private var used = 0
    private let seed: UInt64

    private static let smallest = 16
    private static let empty: UInt8 = 0
    /// Where an object was: a search goes on here.
    private static let gone: UInt8 = 1

    init() {
        var hasher = Hasher()
        hasher.combine(0)
        seed = UInt64(truncatingIfNeeded: hasher.finalize()) | 1
        mask = Self.smallest - 1
        (tags, objects) = Self.places(Self.smallest)
    }

    deinit {
        tags.deallocate()
        objects.deallocate()
    }

    /// The object with that key.
    @inline(__always)
    subscript(key: ObjectKey) -> ManagedObject? {
        let hash = hash(of: key)
        let tag = Self.tag(hash)
        var place = Int(truncatingIfNeeded: hash) & mask
        while tags[place] != Self.empty {
            if tags[place] == tag, let object = objects[place], object._withUnsafeGuaranteedRef({ $0.key == key }) {
                return object.takeUnretainedValue()
            }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Puts an object in, in the place of the one with its key if there is one.
    mutating func insert(_ object: ManagedObject, _ key: ObjectKey) {
        if let present = self[key] { _ = remove(present, key) }
        insertNew(object, key)
    }

    /// Puts an object in whose key is not in.
    @inline(__always)
    mutating func insertNew(_ object: ManagedObject, _ key: ObjectKey) {
        reserve(1)
        let hash = hash(of: key)
        var place = Int(truncatingIfNeeded: hash) & mask
        while tags[place] > Self.gone { place = (place + 1) & mask }
        if tags[place] == Self.empty { used += 1 }
        count += 1
        tags[place] = Self.tag(hash)
        objects[place] = Unmanaged.passUnretained(object)
    }

    /// Makes room for so many more objects.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if (used + more) * 4 > (mask + 1) * 3 { rebuild(for: count + more) }
    }

    /// Takes an object out, if it is this one that is in.
    ///
    /// - Returns: Whether it was.
    mutating func remove(_ object: ManagedObject, _ key: ObjectKey) -> Bool {
        let hash = hash(of: key)
        let tag = Self.tag(hash)
        let pointer = Unmanaged.passUnretained(object).toOpaque()
        var place = Int(truncatingIfNeeded: hash) & mask
        while tags[place] != tag || objects[place]?.toOpaque() != pointer {
            if tags[place] == Self.empty { return false }
            place = (place + 1) & mask
        }
        count -= 1
        // Nobody searches beyond an empty place, so before one no trace need be left.
        if tags[(place + 1) & mask] == Self.empty {
            tags[place] = Self.empty
            used -= 1
        } else {
            tags[place] = Self.gone
        }
        return true
    }

    /// Takes all out.
    mutating func removeAll() {
        tags.deallocate()
        objects.deallocate()
        (tags, objects) = Self.places(Self.smallest)
        mask = Self.smallest - 1
        count = 0
        used = 0
    }

    /// All objects.
    var all: [ManagedObject] {
        var all: [ManagedObject] = []
        all.reserveCapacity(count)
        for place in 0...mask where tags[place] > Self.gone {
            if let object = objects[place] { all.append(object.takeUnretainedValue()) }
        }
        return all
    }

    @inline(__always)
    private func hash(of key: ObjectKey) -> UInt64 {
        let product = (key.low ^ seed).multipliedFullWidth(by: key.high ^ 0x9E37_79B9_7F4A_7C15)
        let mixed = (product.high ^ product.low) &* seed
        return mixed ^ mixed >> 32
    }

    @inline(__always)
    private static func tag(_ hash: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 57) | 0x80 }

    private mutating func rebuild(for wanted: Int) {
        var capacity = Self.smallest
        while wanted * 2 > capacity { capacity *= 2 }
        let (oldTags, oldObjects, oldMask) = (tags, objects, mask)
        (tags, objects) = Self.places(capacity)
        mask = capacity - 1
        used = count
        for old in 0...oldMask where oldTags[old] > Self.gone {
            guard let object = oldObjects[old] else { continue }
            let hash = hash(of: object._withUnsafeGuaranteedRef { $0.key })
            var place = Int(truncatingIfNeeded: hash) & mask
            while tags[place] != Self.empty { place = (place + 1) & mask }
            tags[place] = Self.tag(hash)
            objects[place] = object
        }
        oldTags.deallocate()
        oldObjects.deallocate()
    }

    private static func places(
        _ capacity: Int
    ) -> (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Unmanaged<ManagedObject>?>) {
        let tags = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        tags.initialize(repeating: empty, count: capacity)
        let objects = UnsafeMutablePointer<Unmanaged<ManagedObject>?>.allocate(capacity: capacity)
        objects.initialize(repeating: nil, count: capacity)
        return (tags, objects)
    }
}
