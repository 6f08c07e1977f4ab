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
