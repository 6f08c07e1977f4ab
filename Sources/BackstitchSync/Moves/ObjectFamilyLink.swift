import Backstitch
import BackstitchSupport

/// A link from one object to another, by the names of a model.
struct ObjectFamilyLink: Hashable {
    let source: ObjectID
    let property: String
    let target: ObjectID
}
