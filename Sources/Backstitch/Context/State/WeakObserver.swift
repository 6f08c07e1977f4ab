/// An observer that is not kept alive by the context.
struct WeakObserver {
    weak var value: (any ContextObserver)?
}
