/// A body without keys: for requests without parameters, and for answers without content.
public struct EmptyBody: Sendable, Hashable, WireObject {
    static var blank: Self { Self() }

    /// Creates an empty body.
    public init() {}

    mutating func code(_ keys: inout some KeyCoder) {}
}
