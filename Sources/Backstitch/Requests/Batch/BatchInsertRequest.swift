/// Inserts many objects directly into the store, without making them in a context.
///
/// ```swift
/// try context.execute(BatchInsertRequest(entityName: "Note", objects: [["title": "a"], ["title": "b"]]))
///
/// var lines = file.makeIterator()
/// try context.execute(BatchInsertRequest(entityName: "Note") { note in
///     guard let line = lines.next() else { return true }
///     note["title"] = .string(line)
///     return false
/// })
/// ```
/// The request is one transaction, written in parts: memory grows by a few dozen bytes an object, for its identity.
/// Values must have their attributes' types; attributes without a given value get their default. A to-one relationship
/// may be given as `.object(id)`, unless its inverse is to-one too. Validation rules are not applied, and no method of
/// the objects is called. That includes ``ManagedObject/awakeFromInsert()``, so its values must be given here. A
/// missing required value is refused.
///
/// It is not `Sendable`, so that `fill` may change variables around it, such as the iterator above.
public struct BatchInsertRequest {
    enum Source {
        case objects([[String: Value]])
        case fill((inout Row) throws -> Bool)
    }

    /// The name of the objects' entity.
    public let entityName: String
    /// The content of the result.
    public var resultType: BatchResultType
    let source: Source

    /// Inserts an object for each dictionary of values by name.
    public init(entityName: String, objects: [[String: Value]], resultType: BatchResultType = .status) {
        self.entityName = entityName
        self.resultType = resultType
        source = .objects(objects)
    }

    /// Inserts objects filled by `fill`, one a call.
    ///
    /// - Parameter fill: Sets the values of the next object and returns false, or returns true if there are no more. It
    ///   may read the store, but not write to it. If it throws, nothing is inserted.
    public init(
        entityName: String, resultType: BatchResultType = .status, fill: @escaping (inout Row) throws -> Bool
    ) {
        self.entityName = entityName
        self.resultType = resultType
        source = .fill(fill)
    }
}
