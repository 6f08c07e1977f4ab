/// Changes properties of many objects directly in the store, without loading them.
///
/// ```swift
/// try context.execute(BatchUpdateRequest(
///     entityName: "Note", where: Key<Bool>("isRead") == false,
///     set: ["isRead": true, "reads": .key("reads") + 1]))
/// ```
/// The request is one transaction. It raises the versions of changed rows, so a context with older rows detects a
/// conflict or merges. Objects that already have the new values stay as they are, and do not count. Validation rules
/// are not applied; nil for a required attribute is refused.
public struct BatchUpdateRequest: Sendable {
    /// The name of the objects' entity.
    public let entityName: String
    /// The condition for the objects; nil selects all.
    public var predicate: FetchPredicate?
    /// The new values, by the names of attributes and to-one relationships. A relationship takes `.value(.object(id))`,
    /// unless its inverse is to-one too.
    public var propertiesToUpdate: [String: BatchExpression]
    /// Whether objects of subentities are changed too.
    public var includesSubentities = true
    /// The content of the result.
    public var resultType: BatchResultType

    /// Sets new values for the objects that satisfy `predicate`.
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
