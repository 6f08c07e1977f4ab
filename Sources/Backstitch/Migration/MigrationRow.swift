/// A row while a store is migrated.
public struct MigrationRow: Sendable {
    /// The object; an old row's has the entity's old name.
    public let objectID: ObjectID
    private var values: [String: Value]
    /// The properties that ``set(_:_:)`` changed.
    package private(set) var changed: Set<String> = []

    package init(_ objectID: ObjectID, _ values: [String: Value]) {
        self.objectID = objectID
        self.values = values
    }

    /// The value of an attribute, or of a to-one relationship that the entity's rows keep.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when there is none of that name.
    public subscript(name: String) -> Value {
        get throws {
            if let value = values[name] { return value }
            throw unknown(name)
        }
    }

    /// Gives a value.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when there is no property of that name. Whether the value fits
    ///   is found when the row is written.
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
