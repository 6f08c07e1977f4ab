import Backstitch
import BackstitchSupport

/// A unique constraint, with the values that an object has of it.
struct UniqueClaim: Hashable {
    /// The root of the entity's family, or the entity: what the constraint speaks of.
    let rootName: String
    let columns: [Int]
    let values: [Value]
}
