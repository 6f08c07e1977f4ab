public import Backstitch

/// A class that knows its entity. ``Entity(_:)`` makes a class conform; one written by hand may do so by itself.
public protocol EntityObject: ManagedObject {
    /// The entity's name.
    static var entityName: String { get }
    /// The entity, for a model: `ManagedObjectModel([Note.entityDescription, …])`.
    static var entityDescription: EntityDescription { get }
    /// The key paths of the entity's properties with their names, for `#Predicate`.
    static var keyPathNames: KeyPathNames { get }
}
