/// A value that belongs to the thread of one world.
///
/// Unchecked, because the compiler cannot know what holds here: all that a world does, tasks included, runs on its
/// thread (``SimulationExecutor``), so closures that must be sendable never leave it. A job that came from another
/// thread would be found out by the executor.
struct Confined<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
