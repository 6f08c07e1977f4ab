import Backstitch

/// The entity and properties for the conflicts of the demonstration.
struct Stage: Sendable {
    /// The name of the entity of all objects in the conflicts.
    let entity: String
    /// The attribute with an object's name for people.
    let name: String
    /// An attribute that both devices change.
    let contested: String
    /// Another attribute, changed by one of them only.
    let other: String
    /// A to-one relationship that both devices change; nil if the data has none.
    let relationship: String?
}
