public import Backstitch

/// Makes a property of an ``Entity(_:)`` class read and set the attribute of its name.
///
/// ```swift
/// @Attribute var title: String = ""                              // string, required, "" in a new object
/// @Attribute var created: Date?                                  // date, optional
/// @Attribute(.externalStorage) var photo: Data?                  // binary, kept beside the store
/// @Attribute var film: Asset?                                    // the same, read as a file or piece by piece
/// @Attribute(.encrypted) var diagnosis: String?                  // ciphertext on the server
/// @Attribute(.type(.integer16)) var priority: Priority = .low    // an enumeration, by its raw value
/// @Attribute(.transformer("point")) var place: Point?            // any type, by this transformer of the model
/// ```
/// - **Type.** `Int16`, `Int32`, `Double`, `Float`, `Decimal`, `String`, `Bool`, `Date` and `UUID` are the types of
///   their names. `Int` and `Int64` are `integer64`, `Data` and `Asset` are `binary`, `URL` is `uri`. Other types name
///   theirs with ``AttributeOption/type(_:)``, and conform to `AttributeValue`.
/// - **Optional.** A property that is not optional is required: an object without a value cannot be saved. Until then
///   it reads as `AttributeValue.missing`.
/// - **Initial value.** It is the attribute's default, and is computed once, with the description. If the default
///   differs from object to object, for instance a date or a UUID, override `awakeFromInsert()`.
@attached(accessor)
public macro Attribute(_ options: AttributeOption...) =
    #externalMacro(module: "BackstitchMacroPlugin", type: "AttributeMacro")

/// An option of ``Attribute(_:)``, in addition to the property's type.
public struct AttributeOption: Sendable {
    private init() {}

    /// The bytes are kept in a file beside the store, and are an asset for sync. For `Data` only.
    public static let externalStorage = AttributeOption()

    /// The value leaves the device only as ciphertext; see `PropertyDescription.encrypted()`.
    public static let encrypted = AttributeOption()

    /// The model's transformer of this name encodes the value. The property must be optional and has no initial value.
    public static func transformer(_ name: String) -> AttributeOption { AttributeOption() }

    /// The attribute's type, if it does not follow from the property's type: for enumerations, type aliases, and
    /// narrower integers.
    public static func type(_ type: AttributeType) -> AttributeOption { AttributeOption() }
}
