/// Two objects of a save, or one of it and a stored one, that a unique constraint forbids to be there together.
///
/// The save settles it by the context's ``MergePolicy``, as if the objects had been saved one after another: changed
/// ones first, then new ones, each in order of creation. So ``otherObjectID`` is there first.
///
/// | policy | ``objectID`` is new | ``objectID`` was changed |
/// |---|---|---|
/// | `error` | the save throws | throws |
/// | `mergeByPropertyObjectTrump` | it becomes the other one, which takes its values that are not the entity's defaults | the other one is deleted |
/// | `mergeByPropertyStoreTrump` | it becomes the other one, which takes its values where it has the defaults itself | its values of these keys go back to the saved ones |
/// | `overwrite` | it becomes the other one, which takes all its values | the other one is deleted |
/// | `rollback` | it becomes the other one, which keeps its values | its values of these keys go back to the saved ones |
///
/// The object that yields gives its relationships to the one that stays: what led to it leads there. (To-one
/// relationships of its own are taken over where the other one has none, or its values win.) It then is deleted; an
/// instance that the program holds reads as empty.
public struct ConstraintConflict: Hashable, Sendable {
    /// The entity that has the constraint.
    public let entityName: String
    /// The constraint's keys.
    public let keys: [String]
    /// The values that both have, in the order of the keys.
    public let values: [Value]
    /// The object of the save that comes later.
    public let objectID: ObjectID
    /// The object that has the values already.
    public let otherObjectID: ObjectID
    /// Whether the other object is in the store, and not changed by the save.
    public let isOtherStored: Bool

    /// A conflict of two objects.
    public init(
        entityName: String, keys: [String], values: [Value], objectID: ObjectID, otherObjectID: ObjectID,
        isOtherStored: Bool
    ) {
        self.entityName = entityName
        self.keys = keys
        self.values = values
        self.objectID = objectID
        self.otherObjectID = otherObjectID
        self.isOtherStored = isOtherStored
    }

    /// The conflict as an error of code ``BackstitchError/Code/constraint``.
    public var error: BackstitchError {
        let pairs = zip(keys, values).map { "\($0) = \($1.summary)" }.joined(separator: ", ")
        return BackstitchError(
            .constraint,
            "\(objectID) and \(otherObjectID)\(isOtherStored ? " in the store" : "") both have \(pairs), which is unique to "
                + "each \(entityName); change one of them",
            objectID: objectID, key: keys.first, constraintConflict: self)
    }
}
