import SwiftSyntax

/// The attribute types that follow from Swift types.
enum AttributeTypes {
    private static let byName: KeyValuePairs<String, String> = [
        "Int": "integer64", "Int64": "integer64", "Int16": "integer16", "Int32": "integer32", "Double": "double",
        "Float": "float", "Decimal": "decimal", "String": "string", "Bool": "boolean", "Date": "date", "Data": "binary",
        "Asset": "binary", "UUID": "uuid", "URL": "uri",
    ]

    /// The attribute type of a Swift type; nil if it does not follow from the type's name.
    static func attributeType(of type: TypeSyntax) -> String? {
        byName.first { $0.key == type.lastName }?.value
    }

    /// Whether values of a Swift type are always kept outside the row.
    static func isExternal(_ type: TypeSyntax) -> Bool { type.lastName == "Asset" }

    /// The names of the supported Swift types, for messages.
    static let supported = byName.map(\.key).joined(separator: ", ")
}
