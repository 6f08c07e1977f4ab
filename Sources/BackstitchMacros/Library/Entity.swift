/// Describes an entity by its class: the model is read off the properties.
///
/// ```swift
/// @Entity final class Note: ManagedObject {
///     @Attribute var title: String = ""
///     @Attribute var created: Date?
///     @Attribute(.externalStorage) var photo: Data?
///     @Relationship(inverse: "notes") var folder: Folder?
///     @Relationship(inverse: "notes") var tags: Set<Tag>
/// }
///
/// extension ManagedObjectModel {
///     static let notes = ManagedObjectModel([
///         Note.entityDescription, Folder.entityDescription, Tag.entityDescription,
///     ])
/// }
/// ```
/// The class gets ``EntityObject/entityName``, ``EntityObject/entityDescription`` and ``EntityObject/keyPathNames``,
/// and conforms to ``EntityObject``, so `#Predicate` works on it. A property without ``Attribute(_:)`` or
/// ``Relationship(inverse:delete:optional:)`` is no part of the model. If it is a stored `var`, the compiler warns;
/// ``Transient()`` declares the intention and prevents the warning.
///
/// Nothing else changes: a class written by hand would be the same. Macro-made and hand-written entities mix in one
/// model. If a relationship leads to a hand-written class, that class declares `static let entityName`.
///
/// - Parameter name: The entity's name; the class's own name if it is left out.
@attached(member, names: named(entityName), named(entityDescription), named(keyPathNames))
@attached(extension, conformances: EntityObject)
public macro Entity(_ name: String? = nil) = #externalMacro(module: "BackstitchMacroPlugin", type: "EntityMacro")
