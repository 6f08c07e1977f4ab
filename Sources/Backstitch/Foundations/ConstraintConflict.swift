/// Two objects with the same values under a unique constraint: both of one save, or one of a save and a stored one.
///
/// The save resolves the conflict by the context's ``MergePolicy``, as if it saved the objects one after another. The
/// changed ones come first, then the new ones, each in order of creation. So ``otherObjectID`` is the earlier one.
///
/// | policy | ``objectID`` is new | ``objectID`` was changed |
/// |---|---|---|
/// | `error` | the save throws | throws |
/// | `mergeByPropertyObjectTrump` | it becomes the other one, which takes its values that are not the entity's defaults | the other one is deleted |
/// | `mergeByPropertyStoreTrump` | it becomes the other one, which takes its values where it has the defaults itself | its values of these keys go back to the saved ones |
/// | `overwrite` | it becomes the other one, which takes all its values | the other one is deleted |
/// | `rollback` | it becomes the other one, which keeps its values | its values of these keys go back to the saved ones |
///
/// The object that gives way passes its relationships on to the remaining one: links to the first become links to the
/// second. To-one relationships of its own are passed on if the other one has none, or if its values win. Then it is
/// deleted; an instance held by the program reads as empty.
public struct ConstraintConflict: Hashable, Sendable {
    /// The entity that has the constraint.
    public let entityName: String
    /// The keys of the constraint.
    public let keys: [String]
    /// The common values of both objects, in the order of the keys.
    public let values: [Value]
    /// The later object of the save.
    public let objectID: ObjectID
    /// The object that already has the values.
    public let otherObjectID: ObjectID
    /// Whether the other object is in the store and unchanged by the save.
    public let isOtherStored: Bool

    /// Makes a conflict of two objects.
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

    /// The conflict as an error with the code ``BackstitchError/Code/constraint``.
    public var error: BackstitchError {
        let pairs = zip(keys, values).map { "\($0) = \($1.summary)" }.joined(separator: ", ")
        return BackstitchError(
            .constraint,
            "\(objectID) and \(otherObjectID)\(isOtherStored ? " in the store" : "") both have \(pairs), which is unique to "
                + "each \(entityName); change one of them",
            objectID: objectID, key: keys.first, constraintConflict: self)
    }
}
