/// An attribute or a relationship in the list of an entity's properties.
public enum PropertyDescription: Hashable, Sendable {
    /// The property is an attribute.
    case attribute(AttributeDescription)
    /// The property is a relationship.
    case relationship(RelationshipDescription)

    /// The name of the property.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    /// Makes an attribute; see ``AttributeDescription``.
    public static func attribute(
        _ name: String, _ type: AttributeType, optional: Bool = true, default value: Value = .null,
        external: Bool = false, transient: Bool = false
    ) -> PropertyDescription {
        .attribute(
            AttributeDescription(
                name, type, optional: optional, default: value, external: external, transient: transient))
    }

    /// Makes a named group of attributes, which may contain further groups.
    ///
    /// ```swift
    /// .composite("address", [.init("street", .string), .init("city", .string)])
    /// ```
    /// Each part is an attribute of its own, stored and synced as `address_city`. Predicates, orders and access by key
    /// name it `address.city`. The whole is read and set as a dictionary by ``ManagedObject/composite(forKey:)``, or as
    /// a ``CompositeValue``.
    public static func composite(_ name: String, _ elements: [AttributeDescription]) -> PropertyDescription {
        var attribute = AttributeDescription(name, .string)
        attribute.elements = elements
        return .attribute(attribute)
    }

    /// Makes an attribute computed by the store. The store computes it whenever its sources are written, by saves and
    /// batch requests alike.
    ///
    /// | expression | value |
    /// |---|---|
    /// | `name`, `folder.name` | a copy of the object's own attribute, or of one at the end of a to-one relationship |
    /// | `canonical:(folder.name)`, `lowercase:(name)`, `uppercase:(name)` | the text without case and diacritics, in small letters, in capitals |
    /// | `notes.@count` | how many objects a to-many relationship has |
    /// | `notes.@sum.size` | the sum of their values; 0 for none |
    /// | `now()` | when the object was last written, by the database's clock |
    ///
    /// It cannot be set. An object reads the value stored at the time of its fetch, and after its own save the new
    /// value. ``ManagedObjectContext/refresh(_:mergeChanges:)`` shows the effect of saves of other objects.
    public static func derived(_ name: String, _ type: AttributeType, from derivation: String) -> PropertyDescription {
        var attribute = AttributeDescription(name, type)
        attribute.derivation = derivation
        return .attribute(attribute)
    }

    /// Makes a relationship to at most one object; see ``RelationshipDescription``.
    public static func toOne(
        _ name: String, _ destination: String, inverse: String, optional: Bool = true, delete: DeleteRule = .nullify
    ) -> PropertyDescription {
        .relationship(
            RelationshipDescription(
                name, to: destination, inverse: inverse, toMany: false, optional: optional, delete: delete))
    }

    /// Makes a relationship to any number of objects; see ``RelationshipDescription``.
    public static func toMany(
        _ name: String, _ destination: String, inverse: String, delete: DeleteRule = .nullify, ordered: Bool = false
    ) -> PropertyDescription {
        .relationship(
            RelationshipDescription(
                name, to: destination, inverse: inverse, toMany: true, delete: delete, ordered: ordered))
    }
}
