/// A child context that is not kept alive by its parent.
struct WeakContext {
    weak var value: ManagedObjectContext?
}
