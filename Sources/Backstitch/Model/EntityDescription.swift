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
    /// The name: letters, digits and underscores, beginning with a letter. It is the table name and record type as
    /// well.
    public var name: String
    /// The class of the entity's objects.
    public var managedObjectClass: ManagedObject.Type
    /// The entity's attributes and relationships, in the order of their columns.
    public var properties: [PropertyDescription]
    /// Names of attributes and to-one relationships. No two objects may have the same combination of values:
    /// `[["email"], ["folder", "name"]]`. An object with nil in one of them never collides. See ``ConstraintConflict``
    /// for the effect of a collision on a save.
    public var uniquenessConstraints: [[String]]
    /// The indexes of stores over the entity's rows; see ``indexed(_:)``.
    public var indexes: [FetchIndexDescription] = []
    /// The rules for the entity's objects at a save; see ``validated(_:message:)``.
    public internal(set) var validationRules: [ValidationRule] = []
    /// Selects the objects that a synced store sends to its server; see ``synced(where:)``.
    var syncRule: ValidationRule?
    /// The to-one relationship to an object's parent: an object is in its parent's zone. See ``parent(_:)``.
    var zoneParent: String?
    /// The attributes that identify objects on all devices; see ``identified(by:namespace:)``.
    var naturalKey: NaturalKey?
    /// The entity's name in earlier versions of the model; see ``renamed(from:)``.
    public var renamingIdentifier: String?
    /// The name of the parent entity. Objects of this entity have the parent's properties too, and a fetch of the
    /// parent finds them. All entities of a family share one table.
    public var parent: String?
    /// Whether only its subentities have objects.
    public var isAbstract: Bool
    /// Paths of the parts of composite attributes (`address.city`), with the names of the attributes that store them.
    var compositePaths: [String: String] = [:]

    /// Describes an entity. Without a class its objects are plain ``ManagedObject``s, read by key.
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

    /// All attributes of ``properties``, in order.
    public var attributes: [AttributeDescription] {
        properties.compactMap { if case .attribute(let attribute) = $0 { attribute } else { nil } }
    }

    /// All relationships of ``properties``, in order.
    public var relationships: [RelationshipDescription] {
        properties.compactMap { if case .relationship(let relationship) = $0 { relationship } else { nil } }
    }
}
