/// Describes an entity by its class: what the model needs is read off the properties.
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
/// and conforms to ``EntityObject``, so that `#Predicate` works on it. Properties without ``Attribute(_:)`` or
/// ``Relationship(inverse:delete:optional:)`` are no part of the model; a stored `var` among them is a warning, unless
/// ``Transient()`` says that this is meant.
///
/// Nothing else changes: the class is the one that would be written by hand, and macro-made and hand-written entities
/// mix in one model. A hand-written class that a relationship leads to declares `static let entityName`.
///
/// - Parameter name: The entity's name; the class's own if it is left out.
@attached(member, names: named(entityName), named(entityDescription), named(keyPathNames))
@attached(extension, conformances: EntityObject)
public macro Entity(_ name: String? = nil) = #externalMacro(module: "BackstitchMacroPlugin", type: "EntityMacro")
