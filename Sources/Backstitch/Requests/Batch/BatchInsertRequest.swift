/// Inserts many objects straight into the store, without making them in a context.
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
/// All of it is one transaction, written in parts: memory grows by a few dozen bytes an object, for its identity.
/// Values must be of their attributes' types; what is not given has its default. A to-one relationship may be given as
/// `.object(id)`, except one to one. Validation rules are not asked, and none of the objects' methods is called,
/// ``ManagedObject/awakeFromInsert()`` not either: what it would set is to be given here. A required value that is
/// missing is refused.
public struct BatchInsertRequest {
    enum Source {
        case objects([[String: Value]])
        case fill((inout Row) throws -> Bool)
    }

    /// The entity's name.
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

    /// Inserts objects that `fill` gives, one a call.
    ///
    /// - Parameter fill: Sets the values of the next object and returns false, or returns true when there is none left.
    ///   It may read the store, but not write to it. When it throws, nothing is inserted.
    public init(
        entityName: String, resultType: BatchResultType = .status, fill: @escaping (inout Row) throws -> Bool
    ) {
        self.entityName = entityName
        self.resultType = resultType
        source = .fill(fill)
    }
}
