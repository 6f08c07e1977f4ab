// The hooks of reading. What an object sets in memory when it is told of them goes with what was read, and is no
// change.
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

    /// Tells an object that its values were let go of.
    func tellOfFault(_ object: ManagedObject) {
        if object.entity.hasTransients {
            callHook(of: object) { $0.didTurnIntoFault() }
        } else {
            object.didTurnIntoFault()
        }
    }

    /// Hooks may read other objects, which are told in their turn.
    @inline(never)
    private func callHook(of object: ManagedObject, _ hook: (ManagedObject) -> Void) {
        let outer = hooked
        hooked = object
        defer { hooked = outer }
        hook(object)
    }
}
