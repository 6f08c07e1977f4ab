import Backstitch
import BackstitchSupport

/// A unique constraint, with an object's values for it.
struct UniqueClaim: Hashable {
    /// The root of the entity's family, or the entity itself. The constraint covers this whole family.
    let rootName: String
    let columns: [Int]
    let values: [Value]
}
