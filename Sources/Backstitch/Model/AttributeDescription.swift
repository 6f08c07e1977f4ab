/// An attribute of an entity.
///
/// ```swift
/// .attribute("title", .string, default: "Untitled")
/// .attribute("price", .decimal, optional: false)
/// .attribute("photo", .binary, external: true)
/// ```
public struct AttributeDescription: Hashable, Sendable {
    /// Name; letters, digits and underscores, beginning with a letter.
    public var name: String
    /// The type of its values.
    public var type: AttributeType
    /// Whether an object may be saved without a value.
    public var isOptional: Bool
    /// The value of a new object.
    public var defaultValue: Value
    /// Whether the bytes live in a file beside the store (binary attributes only); such a value is an asset for sync.
    public var allowsExternalStorage: Bool
    /// Whether the value lives with the object in memory only: it is a change like others, undone by a rollback and
    /// handed from a child context to its parent, but never stored, synced or fetched by.
    public var isTransient: Bool
    /// Whether history keeps the value of a deleted object, in its tombstone. Not for bytes with external storage.
    public var preservesValueInHistoryOnDeletion = false
    /// The expression from which the store computes the value; nil for an ordinary attribute. See
    /// ``PropertyDescription/derived(_:_:from:)``.
    public var derivation: String?
    /// The parts of a composite attribute; empty for an ordinary one. See ``PropertyDescription/composite(_:_:)``.
    public var elements: [AttributeDescription] = []
    /// Which ways its values go between a synced store and its server; see ``PropertyDescription/synced(_:)``.
    public internal(set) var syncDirection = SyncDirection.both
    /// When the bytes of its assets come to a device; nil where the options of the synced store say. See
    /// ``PropertyDescription/synced(assets:)``.
    public internal(set) var assetPolicy: AssetPolicy?
    /// Whether its values leave the device only as ciphertext; see ``PropertyDescription/encrypted()``.
    public internal(set) var isEncrypted = false
    /// The rules that its value must satisfy when an object is saved; see
    /// ``PropertyDescription/validated(_:message:)``.
    public internal(set) var validationRules: [ValidationRule] = []
    /// The name that the attribute had in earlier versions of the model; see ``PropertyDescription/renamed(from:)``.
    public var renamingIdentifier: String?

    /// Describes an attribute.
    public init(
        _ name: String, _ type: AttributeType, optional: Bool = true, default defaultValue: Value = .null,
        external: Bool = false, transient: Bool = false
    ) {
        self.name = name
        self.type = type
        self.isOptional = optional
        self.defaultValue = defaultValue
        self.allowsExternalStorage = external
        self.isTransient = transient
    }
}
