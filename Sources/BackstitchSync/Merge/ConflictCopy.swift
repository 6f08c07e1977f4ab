import Backstitch

/// A new object that has what this side had of another one, whose conflict was decided for both sides.
struct ConflictCopy {
    let objectID: ObjectID
    let image: RecordImage
}
