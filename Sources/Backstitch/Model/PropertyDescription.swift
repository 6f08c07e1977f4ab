/// An attribute or a relationship in the list of an entity's properties.
public enum PropertyDescription: Hashable, Sendable {
    /// An attribute.
    case attribute(AttributeDescription)
    /// A relationship.
    case relationship(RelationshipDescription)

    /// The property's name.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    /// An attribute; see ``AttributeDescription``.
    public static func attribute(
        _ name: String, _ type: AttributeType, optional: Bool = true, default value: Value = .null,
        external: Bool = false, transient: Bool = false
    ) -> PropertyDescription {
        .attribute(
            AttributeDescription(
                name, type, optional: optional, default: value, external: external, transient: transient))
    }

    /// A named group of attributes, which may hold groups in their turn.
    ///
    /// ```swift
    /// .composite("address", [.init("street", .string), .init("city", .string)])
    /// ```
    /// Each part is an attribute of its own, stored and synced as `address_city`. `address.city` names it in
    /// predicates, orders and by key; the whole is read and set as a dictionary by
    /// ``ManagedObject/composite(forKey:)``, or as a ``CompositeValue``.
    public static func composite(_ name: String, _ elements: [AttributeDescription]) -> PropertyDescription {
        var attribute = AttributeDescription(name, .string)
        attribute.elements = elements
        return .attribute(attribute)
    }

    /// An attribute that the store computes whenever what it is derived from is written, by saves and batch requests
    /// alike.
    ///
    /// | expression | value |
    /// |---|---|
    /// | `name`, `folder.name` | a copy of the object's own attribute, or of one at the end of a to-one relationship |
    /// | `canonical:(folder.name)`, `lowercase:(name)`, `uppercase:(name)` | the text without case and diacritics, in small letters, in capitals |
    /// | `notes.@count` | how many objects a to-many relationship has |
    /// | `notes.@sum.size` | the sum of their values; 0 for none |
    /// | `now()` | when the object was last written, by the database's clock |
    ///
    /// It cannot be set. An object reads what was stored when it was fetched; after its own save it reads anew, and
    /// ``ManagedObjectContext/refresh(_:mergeChanges:)`` shows what saves of other objects made of it.
    public static func derived(_ name: String, _ type: AttributeType, from derivation: String) -> PropertyDescription {
        var attribute = AttributeDescription(name, type)
        attribute.derivation = derivation
        return .attribute(attribute)
    }

    /// A relationship to at most one object; see ``RelationshipDescription``.
    public static func toOne(
        _ name: String, _ destination: String, inverse: String, optional: Bool = true, delete: DeleteRule = .nullify
    ) -> PropertyDescription {
        .relationship(
            RelationshipDescription(
                name, to: destination, inverse: inverse, toMany: false, optional: optional, delete: delete))
    }

    /// A relationship to any number of objects; see ``RelationshipDescription``.
    public static func toMany(
        _ name: String, _ destination: String, inverse: String, delete: DeleteRule = .nullify, ordered: Bool = false
    ) -> PropertyDescription {
        .relationship(
            RelationshipDescription(
                name, to: destination, inverse: inverse, toMany: true, delete: delete, ordered: ordered))
    }
}
