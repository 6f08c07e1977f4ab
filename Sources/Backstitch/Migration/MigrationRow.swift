/// A row of a store during its migration.
public struct MigrationRow: Sendable {
    /// The identity of the object; in an old row it has the entity's old name.
    public let objectID: ObjectID
    private var values: [String: Value]
    /// The properties changed by ``set(_:_:)``.
    package private(set) var changed: Set<String> = []

    package init(_ objectID: ObjectID, _ values: [String: Value]) {
        self.objectID = objectID
        self.values = values
    }

    /// The value of an attribute, or of a to-one relationship with a column in the entity's rows.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` if there is no such property.
    public subscript(name: String) -> Value {
        get throws {
            if let value = values[name] { return value }
            throw unknown(name)
        }
    }

    /// Sets the value of a property.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` if there is no such property. The type of the value is only
    ///   checked when the row is written.
    public mutating func set(_ name: String, _ value: Value) throws {
        guard values[name] != nil else { throw unknown(name) }
        values[name] = value
        changed.insert(name)
    }

    private func unknown(_ name: String) -> BackstitchError {
        BackstitchError(
            .invalidRequest,
            "a row of \(objectID.entityName) has no \"\(name)\"; it has \(values.keys.sorted().joined(separator: ", "))",
            objectID: objectID, key: name)
    }
}
