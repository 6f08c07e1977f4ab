extension ManagedObject {
    /// Returns the value that was set here. Without one, returns the value of the parent context's object, or else the
    /// default.
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
