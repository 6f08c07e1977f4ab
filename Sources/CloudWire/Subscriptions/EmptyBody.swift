/// A body without keys: the question of endpoints that ask nothing, the answer of those that have nothing to say.
public struct EmptyBody: Sendable, Hashable, WireObject {
    static var blank: Self { Self() }

    /// An empty body.
    public init() {}

    mutating func code(_ keys: inout some KeyCoder) {}
}
