public import Backstitch

/// Makes a property of an ``Entity(_:)`` class read and set the relationship of its name.
///
/// ```swift
/// @Relationship(inverse: "notes") var folder: Folder?                              // to-one
/// @Relationship(inverse: "notes", delete: .cascade) var attachments: Set<Attachment>   // to-many
/// @Relationship(inverse: "orders", optional: false) var customer: Customer?       // required when the object is saved
/// ```
/// The relationship's destination is the entity of the property's class. A to-one is always optional in Swift: it reads
/// as nil until its object has arrived.
///
/// - Parameters:
///   - inverse: Name of the destination's relationship that leads back. It is required. The two ends must name each
///     other; otherwise opening a container refuses the model.
///   - delete: The effect of an object's deletion on its destinations.
///   - optional: Whether an object may be saved without a destination; for a to-one only.
@attached(accessor)
public macro Relationship(inverse: String? = nil, delete: DeleteRule = .nullify, optional: Bool = true) =
    #externalMacro(module: "BackstitchMacroPlugin", type: "RelationshipMacro")

/// Does the same, with the inverse as a key path checked by the compiler: `\Folder.notes`.
///
/// Swift can follow key paths in one direction only. Of two inverses, one may name the other by key path; the second
/// one names the first by string. Otherwise the compiler reports a circular reference.
@attached(accessor)
public macro Relationship<Destination: ManagedObject, Inverse>(
    inverse: KeyPath<Destination, Inverse>, delete: DeleteRule = .nullify, optional: Bool = true
) = #externalMacro(module: "BackstitchMacroPlugin", type: "RelationshipMacro")
