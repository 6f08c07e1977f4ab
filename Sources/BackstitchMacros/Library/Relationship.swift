public import Backstitch

/// Makes a property of an ``Entity(_:)`` class read and set the relationship of its name.
///
/// ```swift
/// @Relationship(inverse: "notes") var folder: Folder?                              // to-one
/// @Relationship(inverse: "notes", delete: .cascade) var attachments: Set<Attachment>   // to-many
/// @Relationship(inverse: "orders", optional: false) var customer: Customer?       // required when the object is saved
/// ```
/// The destination's class gives the entity that it leads to. A to-one is always optional in Swift: it reads as nil
/// until its object has arrived.
///
/// - Parameters:
///   - inverse: Name of the destination's relationship that leads back. It must be given; a model whose ends do not
///     name each other is refused when a container opens.
///   - delete: The effect of an object's deletion on its destinations.
///   - optional: Whether an object may be saved without a destination; for a to-one.
@attached(accessor)
public macro Relationship(inverse: String? = nil, delete: DeleteRule = .nullify, optional: Bool = true) =
    #externalMacro(module: "BackstitchMacroPlugin", type: "RelationshipMacro")

/// The same with the inverse as a key path, `\Folder.notes`, which the compiler checks.
///
/// Swift can follow key paths in one direction only: of two inverses one may name the other by key path, the other one
/// names it by string. Otherwise the compiler reports a circular reference.
@attached(accessor)
public macro Relationship<Destination: ManagedObject, Inverse>(
    inverse: KeyPath<Destination, Inverse>, delete: DeleteRule = .nullify, optional: Bool = true
) = #externalMacro(module: "BackstitchMacroPlugin", type: "RelationshipMacro")
