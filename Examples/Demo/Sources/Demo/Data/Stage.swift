import Backstitch

/// With which objects and properties the demonstration plays conflicts.
struct Stage: Sendable {
    /// The entity.
    let entity: String
    /// The attribute that names an object for people.
    let name: String
    /// An attribute that both devices change.
    let contested: String
    /// Another attribute, which only one of them changes.
    let other: String
    /// A to-one relationship that is changed, where the data has one.
    let relationship: String?
}
