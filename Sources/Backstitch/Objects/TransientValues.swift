/// The values of an object's transient attributes, by slot.
final class TransientValues {
    private var current: [Int: Value] = [:]
    /// Those of the last save.
    private var saved: [Int: Value] = [:]

    subscript(slot: Int) -> Value? { current[slot] }

    var isChanged: Bool { current != saved }

    /// The values that differ from those of the last save.
    var changes: [Int: Value] { current.filter { saved[$0.key] != $0.value } }

    /// Sets a value, which takes a change back when it is the saved one again.
    ///
    /// - Parameter initial: The value of an object on which none was set.
    func set(_ value: Value, at slot: Int, initial: Value) {
        current[slot] = saved[slot] == nil && value == initial ? nil : value
    }

    /// Sets a value as one that comes with the stored ones: no change.
    func settle(_ value: Value, at slot: Int) {
        current[slot] = value
        saved[slot] = value
    }

    func commit() { saved = current }

    func rollback() { current = saved }
}
