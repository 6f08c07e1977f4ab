extension ManagedObject {
    /// Returns the parts of a composite attribute, by their names within it.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the entity has no such composite; else as
    ///   ``value(forKey:)``.
    public final func composite(forKey key: String) throws -> [String: Value] {
        try parts(of: key).mapValues { try value(forKey: $0) }
    }

    /// Sets all parts of a composite attribute. Parts that `values` leaves out become nil.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the entity has no such composite, or the composite has no
    ///   such part; ``BackstitchError/Code/invalidValue`` when a value does not fit its part. Nothing has changed then.
    public final func setComposite(_ values: [String: Value], forKey key: String) throws {
        let parts = try parts(of: key)
        if let unknown = values.keys.filter({ parts[$0] == nil }).min() {
            throw BackstitchError(
                .invalidRequest,
                "\(entity.name).\(key) has no part \"\(unknown)\"; it has \(parts.keys.sorted().joined(separator: ", "))",
                objectID: objectID, key: "\(key).\(unknown)")
        }
        let accepted = try parts.map { name, path in
            (
                path,
                try entity.requireProperty(named: path).attribute.map {
                    try acceptedValue(values[name] ?? .null, by: $0)
                }
                    ?? .null
            )
        }
        for (path, value) in accepted { try setValue(value, forKey: path) }
    }

    /// A composite attribute as a Swift value; nil when none of its parts has a value. Setting nil clears all parts.
    ///
    /// The context keeps an error and throws it at its next `fetch`, `count` or `save`, as with other properties.
    public final subscript<Composite: CompositeValue>(composite key: String, file: String = #fileID, line: Int = #line)
        -> Composite?
    {
        get {
            context.reporting(nil, reading: self, at: (file, line)) {
                let values = try composite(forKey: key)
                return values.values.allSatisfy(\.isNull) ? nil : Composite(compositeValues: values)
            }
        }
        set {
            context.reporting((), at: (file, line)) { try setComposite(newValue?.compositeValues ?? [:], forKey: key) }
        }
    }

    /// Returns the paths of a composite's parts, by their names within it.
    private func parts(of key: String) throws -> [String: String] {
        let start = "\(key)."
        let paths = entity.compositePaths.keys.filter { $0.hasPrefix(start) }
        guard !paths.isEmpty else {
            throw BackstitchError(
                .invalidRequest, "\(entity.name) has no composite attribute \"\(key)\"", objectID: objectID, key: key)
        }
        return Dictionary(uniqueKeysWithValues: paths.map { (String($0.dropFirst(start.count)), $0) })
    }
}
