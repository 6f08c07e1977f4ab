/// A set of values for look-ups, all in the type of the comparison.
package struct PlannedSet: Sendable {
    /// The values without nil, each once, in the order of their first mention.
    package let values: [Value]
    /// Whether nil is among the values.
    package let hasNull: Bool
    private let keys: Set<Value>

    package init(_ values: [Value]) {
        var keys: Set<Value> = []
        self.values = values.filter { !$0.isNull && keys.insert($0.lookupKey).inserted }
        self.keys = keys
        hasNull = values.contains(where: \.isNull)
    }

    /// Whether the set has the value. Complexity: O(1).
    func contains(_ value: Value) -> Bool { value.isNull ? hasNull : keys.contains(value.lookupKey) }
}
