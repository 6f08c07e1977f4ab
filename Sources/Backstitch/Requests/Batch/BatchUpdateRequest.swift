/// Changes properties of many objects straight in the store, without loading them.
///
/// ```swift
/// try context.execute(BatchUpdateRequest(
///     entityName: "Note", where: Key<Bool>("isRead") == false,
///     set: ["isRead": true, "reads": .key("reads") + 1]))
/// ```
/// One transaction. The versions of changed rows rise, so that contexts that read them before have a conflict or merge.
/// Objects that have the values already stay as they are, and do not count. Validation rules are not asked; nil for a
/// required attribute is refused.
public struct BatchUpdateRequest: Sendable {
    /// The entity's name.
    public let entityName: String
    /// Which objects; nil for all.
    public var predicate: FetchPredicate?
    /// The new values, by the names of attributes and to-one relationships (`.value(.object(id))`; not one to one).
    public var propertiesToUpdate: [String: BatchExpression]
    /// Whether objects of entities below the request's are changed too.
    public var includesSubentities = true
    /// The content of the result.
    public var resultType: BatchResultType

    /// Gives the objects that `predicate` allows new values.
    public init(
        entityName: String, where predicate: FetchPredicate? = nil,
        set propertiesToUpdate: [String: BatchExpression], resultType: BatchResultType = .status
    ) {
        self.entityName = entityName
        self.predicate = predicate
        self.propertiesToUpdate = propertiesToUpdate
        self.resultType = resultType
    }
}
