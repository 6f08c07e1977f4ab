public import Backstitch

/// A class with a description of its entity. ``Entity(_:)`` makes a class conform; a class written by hand may do so
/// itself.
public protocol EntityObject: ManagedObject {
    /// The entity's name in the model.
    static var entityName: String { get }
    /// The description of the entity, for a model: `ManagedObjectModel([Note.entityDescription, …])`.
    static var entityDescription: EntityDescription { get }
    /// The key paths of the entity's properties with their names, for `#Predicate`.
    static var keyPathNames: KeyPathNames { get }
}
