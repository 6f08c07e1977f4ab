/// A relationship of an entity to another. Both ends are described, and name each other as inverse.
///
/// ```swift
/// .toOne("folder", "Folder", inverse: "notes")
/// .toMany("notes", "Note", inverse: "folder", delete: .cascade)
/// ```
public struct RelationshipDescription: Hashable, Sendable {
    /// The name: letters, digits and underscores, beginning with a letter.
    public var name: String
    /// The name of the destination entity.
    public var destination: String
    /// The name of the destination's relationship back to this entity.
    public var inverse: String
    /// Whether it leads to any number of objects.
    public var isToMany: Bool
    /// Whether an object may be saved without a destination.
    public var isOptional: Bool
    /// The effect of an object's deletion on its destinations.
    public var deleteRule: DeleteRule
    /// The allowed number of objects of a to-many relationship; nil for any number. See
    /// ``PropertyDescription/counting(_:)``.
    public internal(set) var countRange: ClosedRange<Int>?
    /// The rules for the relationship at a save; see ``PropertyDescription/validated(_:message:)``.
    public internal(set) var validationRules: [ValidationRule] = []
    /// Whether the model asks for its links to be encrypted: a fault. See ``PropertyDescription/encrypted()``.
    var isEncrypted = false
    /// Whether the model gives it a policy for assets: a fault. See ``PropertyDescription/synced(assets:)``.
    var hasAssetPolicy = false
    /// The relationship's name in earlier versions of the model; see ``PropertyDescription/renamed(from:)``.
    public var renamingIdentifier: String?
    /// Whether the objects of a to-many relationship have a stored order; see ``ManagedObject/insert(_:into:at:)``.
    public var isOrdered: Bool

    /// Describes a relationship by its name and ends.
    public init(
        _ name: String, to destination: String, inverse: String, toMany: Bool, optional: Bool = true,
        delete deleteRule: DeleteRule = .nullify, ordered: Bool = false
    ) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
        self.isToMany = toMany
        self.isOptional = optional
        self.deleteRule = deleteRule
        self.isOrdered = ordered
    }
}
