extension ManagedObject {
    /// A transformable attribute, decoded by its transformer; nil when it has no value.
    ///
    /// ```swift
    /// var place: Point? { get { self[transformed: "place"] } set { self[transformed: "place"] = newValue } }
    /// ```
    /// The context keeps an error and throws it at its next `fetch`, `count` or `save`. Errors are: no such attribute,
    /// bytes that the transformer refuses, a value of another type. ``transformed(_:as:)`` and
    /// ``setTransformed(_:forKey:)`` throw them at once.
    public final subscript<T: Sendable>(transformed key: String, file: String = #fileID, line: Int = #line) -> T? {
        get {
            context.reporting(nil, reading: self, at: (file, line)) {
                guard let value = try transformed(key, as: (any Sendable).self) else { return nil }
                guard let typed = value as? T else {
                    throw BackstitchError(
                        .invalidValue,
                        "\(entity.name).\(key) holds a \(Swift.type(of: value)), which is not a \(T.self)",
                        objectID: objectID, key: key)
                }
                return typed
            }
        }
        set { context.reporting((), at: (file, line)) { try setTransformed(newValue, forKey: key) } }
    }
}
