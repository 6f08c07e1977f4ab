/// Recently used values, in bounded memory.
///
/// There are two generations. A used value is in the younger one. When that reaches half of the limit, it becomes the
/// older one, and the previous older one is dropped. So a used value stays, and only used values are ever moved.
struct GenerationalCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private let limit: Int

    /// - Parameter limit: Most values, of both generations together; at least 2.
    init(limit: Int) { self.limit = max(limit, 2) }

    var count: Int { young.count + old.count }

    /// Returns the value of a key, and counts it as used. Complexity: O(1) on average.
    mutating func use(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        insert(value, for: key)
        return value
    }

    /// Sets the value of a key.
    mutating func insert(_ value: Value, for key: Key) {
        if young.count >= limit / 2, young[key] == nil {
            old = young
            young = [:]
        }
        old[key] = nil
        young[key] = value
    }

    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    /// Removes all values that `isGone` selects. Complexity: O(count).
    mutating func removeAll(where isGone: (Key, Value) -> Bool) {
        young = young.filter { !isGone($0.key, $0.value) }
        old = old.filter { !isGone($0.key, $0.value) }
    }
}
