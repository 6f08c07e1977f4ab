import Backstitch

/// A new object with this side's values of another one, after a resolver decided to keep both sides.
struct ConflictCopy {
    let objectID: ObjectID
    let image: RecordImage
}
