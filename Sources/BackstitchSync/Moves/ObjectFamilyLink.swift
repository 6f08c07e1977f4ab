import Backstitch
import BackstitchSupport

/// A link from one object to another, with the name of its property in the model.
struct ObjectFamilyLink: Hashable {
    let source: ObjectID
    let property: String
    let target: ObjectID
}
