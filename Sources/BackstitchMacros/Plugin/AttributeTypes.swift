import SwiftSyntax

/// Which attribute types follow from which Swift types.
enum AttributeTypes {
    private static let byName: KeyValuePairs<String, String> = [
        "Int": "integer64", "Int64": "integer64", "Int16": "integer16", "Int32": "integer32", "Double": "double",
        "Float": "float", "Decimal": "decimal", "String": "string", "Bool": "boolean", "Date": "date", "Data": "binary",
        "Asset": "binary", "UUID": "uuid", "URL": "uri",
    ]

    /// The attribute type of a Swift type; nil when it does not follow from its name.
    static func attributeType(of type: TypeSyntax) -> String? {
        byName.first { $0.key == type.lastName }?.value
    }

    /// Whether values of a Swift type are kept outside the row in any case.
    static func isExternal(_ type: TypeSyntax) -> Bool { type.lastName == "Asset" }

    /// The Swift types, for messages.
    static let supported = byName.map(\.key).joined(separator: ", ")
}
