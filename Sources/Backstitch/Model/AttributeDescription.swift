/// The description of an attribute of an entity.
///
/// ```swift
/// .attribute("title", .string, default: "Untitled")
/// .attribute("price", .decimal, optional: false)
/// .attribute("photo", .binary, external: true)
/// ```
public struct AttributeDescription: Hashable, Sendable {
    /// The name: letters, digits and underscores, beginning with a letter.
    public var name: String
    /// The type of the attribute's values.
    public var type: AttributeType
    /// Whether an object may be saved without a value for it.
    public var isOptional: Bool
    /// The value in a new object.
    public var defaultValue: Value
    /// Whether the bytes are kept in a file beside the store (binary attributes only). Such a value is an asset for
    /// sync.
    public var allowsExternalStorage: Bool
    /// Whether the value is kept only in memory, with its object. It is a change like others: a rollback undoes it, and
    /// a child context hands it to its parent. But it is never stored or synced, and no fetch can use it.
    public var isTransient: Bool
    /// Whether history keeps the value of a deleted object, in its tombstone. Not for bytes with external storage.
    public var preservesValueInHistoryOnDeletion = false
    /// The store computes the value from this expression; nil for an ordinary attribute. See
    /// ``PropertyDescription/derived(_:_:from:)``.
    public var derivation: String?
    /// The parts of a composite attribute; empty for an ordinary one. See ``PropertyDescription/composite(_:_:)``.
    public var elements: [AttributeDescription] = []
    /// The directions in the sync of its values, between a synced store and its server; see
    /// ``PropertyDescription/synced(_:)``.
    public internal(set) var syncDirection = SyncDirection.both
    /// The time at which the bytes of its assets reach a device. Nil leaves it to the options of the synced store. See
    /// ``PropertyDescription/synced(assets:)``.
    public internal(set) var assetPolicy: AssetPolicy?
    /// Whether its values leave the device only as ciphertext; see ``PropertyDescription/encrypted()``.
    public internal(set) var isEncrypted = false
    /// The rules for its value at a save; see ``PropertyDescription/validated(_:message:)``.
    public internal(set) var validationRules: [ValidationRule] = []
    /// The attribute's name in earlier versions of the model; see ``PropertyDescription/renamed(from:)``.
    public var renamingIdentifier: String?

    /// Describes an attribute by its name and type.
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
