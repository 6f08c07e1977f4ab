/// A set of an entity's slots, such as the changed properties.
public struct PropertySet: Hashable, Sendable {
    private var first: UInt64 = 0
    private var others: [UInt64] = []

    /// Creates a set without slots.
    public init() {}

    /// Creates the set of these slots.
    public init(_ slots: some Sequence<Int>) {
        for slot in slots { insert(slot) }
    }

    /// Creates the set of the slots whose bits are set, 64 to a word.
    init(words: UnsafeBufferPointer<UInt64>) {
        first = words.first ?? 0
        guard words.count > 1 else { return }
        others = Array(words.dropFirst())
        while others.last == 0 { others.removeLast() }
    }

    /// Returns the bits of 64 slots.
    @inline(__always)
    func word(_ index: Int) -> UInt64 { index == 0 ? first : index <= others.count ? others[index - 1] : 0 }

    /// The number of slots.
    var count: Int { others.reduce(first.nonzeroBitCount) { $0 + $1.nonzeroBitCount } }

    /// Whether it has no slot.
    public var isEmpty: Bool { first == 0 && others.allSatisfy { $0 == 0 } }

    /// Adds a slot to the set.
    public mutating func insert(_ slot: Int) {
        guard slot >= 64 else {
            first |= 1 << UInt64(slot)
            return
        }
        let word = slot / 64 - 1
        while others.count <= word { others.append(0) }
        others[word] |= 1 << UInt64(slot % 64)
    }

    /// Removes a slot from the set.
    public mutating func remove(_ slot: Int) {
        guard slot >= 64 else {
            first &= ~(1 << UInt64(slot))
            return
        }
        let word = slot / 64 - 1
        guard word < others.count else { return }
        others[word] &= ~(1 << UInt64(slot % 64))
        while others.last == 0 { others.removeLast() }
    }

    /// Whether it has the slot.
    public func contains(_ slot: Int) -> Bool {
        if slot < 64 { return first & (1 << UInt64(slot)) != 0 }
        let word = slot / 64 - 1
        return word < others.count && others[word] & (1 << UInt64(slot % 64)) != 0
    }

    /// Whether it has no slot in common with another set.
    func isDisjoint(with other: PropertySet) -> Bool {
        first & other.first == 0 && zip(others, other.others).allSatisfy { $0 & $1 == 0 }
    }

    /// Adds the slots of another set.
    public mutating func formUnion(_ other: PropertySet) {
        first |= other.first
        while others.count < other.others.count { others.append(0) }
        for index in other.others.indices { others[index] |= other.others[index] }
    }

    /// The slots in rising order.
    public var slots: [Int] {
        var slots: [Int] = []
        for index in 0...others.count {
            var word = index == 0 ? first : others[index - 1]
            while word != 0 {
                slots.append(index * 64 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
        return slots
    }
}
