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

extension ManagedObject {
    /// Returns the value that was set here; else that of the parent context's object; else the default.
    final func transientValue(of property: ResolvedProperty) -> Value {
        if let value = transients?[property.slot] { return value }
        if let above = context.parent?.registeredObject(key) { return above.transientValue(of: property) }
        return property.attribute?.defaultValue ?? .null
    }

    final func setTransient(_ property: ResolvedProperty, to value: Value) {
        let values = transients ?? TransientValues()
        if context.hooked === self {
            values.settle(value, at: property.slot)
            transients = values
            return
        }
        let old = transientValue(of: property)
        guard old != value else { return }
        context.undoManager?.record(.transient(self, property, old: old))
        let above = context.parent?.registeredObject(key)?.transientValue(of: property)
        values.set(value, at: property.slot, initial: above ?? property.attribute?.defaultValue ?? .null)
        transients = values
        context.noteChange(of: self, at: property.slot)
    }
}
