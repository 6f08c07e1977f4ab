/// The values of an object's transient attributes, by slot.
final class TransientValues {
    private var current: [Int: Value] = [:]
    /// The values of the last save.
    private var saved: [Int: Value] = [:]

    subscript(slot: Int) -> Value? { current[slot] }

    var isChanged: Bool { current != saved }

    /// The values that differ from those of the last save.
    var changes: [Int: Value] { current.filter { saved[$0.key] != $0.value } }

    /// Sets a value. If it is the saved one again, this takes the change back.
    ///
    /// - Parameter initial: The value of an object before one was set.
    func set(_ value: Value, at slot: Int, initial: Value) {
        current[slot] = saved[slot] == nil && value == initial ? nil : value
    }

    /// Sets a value as part of the stored ones, so that it is no change.
    func settle(_ value: Value, at slot: Int) {
        current[slot] = value
        saved[slot] = value
    }

    func commit() { saved = current }

    func rollback() { current = saved }
}
