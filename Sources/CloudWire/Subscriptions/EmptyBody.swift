/// A body without keys: for requests without parameters, and for answers without content.
package struct EmptyBody: Sendable, Hashable, WireObject {
    static var blank: Self { Self() }

    package init() {}

    mutating func code(_ keys: inout some KeyCoder) {}
}
