/// An entity: a kind of object with its attributes and relationships.
///
/// ```swift
/// EntityDescription("Note", class: Note.self, [
///     .attribute("title", .string, default: ""),
///     .attribute("created", .date),
///     .toOne("folder", "Folder", inverse: "notes"),
///     .toMany("tags", "Tag", inverse: "notes"),
/// ])
/// ```
public struct EntityDescription: Sendable {
    /// Name; letters, digits and underscores, beginning with a letter. Table name and record type as well.
    public var name: String
    /// The class of its objects.
    public var managedObjectClass: ManagedObject.Type
    /// Its attributes and relationships, in the order of their columns.
    public var properties: [PropertyDescription]
    /// Names of attributes and to-one relationships whose values together no two objects share:
    /// `[["email"], ["folder", "name"]]`. Objects that have nil in one of them do not collide. See
    /// ``ConstraintConflict`` for what a save does about a collision.
    public var uniquenessConstraints: [[String]]
    /// The indexes that stores keep over its rows; see ``indexed(_:)``.
    public var indexes: [FetchIndexDescription] = []
    /// The rules that an object of it must satisfy to be saved; see ``validated(_:message:)``.
    public internal(set) var validationRules: [ValidationRule] = []
    /// Which of its objects go to a synced store's server; see ``synced(where:)``.
    var syncRule: ValidationRule?
    /// The to-one relationship to the object whose zone its objects are in; see ``parent(_:)``.
    var zoneParent: String?
    /// The values by which its objects are the same everywhere; see ``identified(by:namespace:)``.
    var naturalKey: NaturalKey?
    /// The name that the entity had in earlier versions of the model; see ``renamed(from:)``.
    public var renamingIdentifier: String?
    /// Name of the entity that this one is a kind of: its objects have the parent's properties too, and are found where
    /// the parent's are asked for. All entities of a family live in one table.
    public var parent: String?
    /// Whether there are objects of its subentities only.
    public var isAbstract: Bool
    /// Paths of the parts of composite attributes (`address.city`), with the names of the attributes that they are
    /// stored as.
    var compositePaths: [String: String] = [:]

    /// Describes an entity; without a class its objects are plain ``ManagedObject``s, read by key.
    public init(
        _ name: String, class managedObjectClass: ManagedObject.Type = ManagedObject.self, parent: String? = nil,
        abstract isAbstract: Bool = false, unique uniquenessConstraints: [[String]] = [],
        _ properties: [PropertyDescription]
    ) {
        self.name = name
        self.parent = parent
        self.isAbstract = isAbstract
        self.managedObjectClass = managedObjectClass
        self.uniquenessConstraints = uniquenessConstraints
        self.properties = properties
    }

    /// The attributes among the properties.
    public var attributes: [AttributeDescription] {
        properties.compactMap { if case .attribute(let attribute) = $0 { attribute } else { nil } }
    }

    /// The relationships among the properties.
    public var relationships: [RelationshipDescription] {
        properties.compactMap { if case .relationship(let relationship) = $0 { relationship } else { nil } }
    }
}

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

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// A double.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
