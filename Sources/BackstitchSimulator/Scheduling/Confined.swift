/// A value that belongs to the thread of one world.
///
/// It is unchecked because the compiler cannot know this rule: a world runs everything on its own thread, tasks
/// included (``SimulationExecutor``). Closures that must be sendable therefore never leave the thread. The executor
/// notices any job from another thread.
struct Confined<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
