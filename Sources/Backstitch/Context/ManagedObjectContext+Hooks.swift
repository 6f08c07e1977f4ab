// The hooks of reading. Values that an object sets in memory in such a hook belong to the read, and are no change.
extension ManagedObjectContext {
    /// Tells an object that its values were read.
    @inline(__always)
    func tellOfFetch(_ object: ManagedObject) {
        if object.entity.hasTransients {
            callHook(of: object) { $0.awakeFromFetch() }
        } else {
            object.awakeFromFetch()
        }
    }

    /// Tells an object that its values were released.
    func tellOfFault(_ object: ManagedObject) {
        if object.entity.hasTransients {
            callHook(of: object) { $0.didTurnIntoFault() }
        } else {
            object.didTurnIntoFault()
        }
    }

    /// Hooks may read other objects, and these are told in turn.
    @inline(never)
    private func callHook(of object: ManagedObject, _ hook: (ManagedObject) -> Void) {
        let outer = hooked
        hooked = object
        defer { hooked = outer }
        hook(object)
    }
}
