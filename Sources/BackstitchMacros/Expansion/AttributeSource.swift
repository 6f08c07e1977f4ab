import SwiftSyntax
import SwiftSyntaxBuilder

/// Source code for the description of an attribute.
struct AttributeSource {
    let description: ExprSyntax
    /// Whether a transformer of the model encodes the values.
    let isTransformable: Bool

    init(_ property: ModelProperty) throws(MacroProblem) {
        let options = try AttributeArguments(property)
        isTransformable = options.transformer != nil
        if isTransformable { try Self.checkTransformable(property) }
        var arguments = "\"\(property.name)\", \(try Self.type(of: property, options))"
        if !property.isOptional { arguments += ", optional: false" }
        if let value = property.initialValue, !value.is(NilLiteralExprSyntax.self) {
            try Self.checkIsConstant(value, property)
            arguments += ", default: Backstitch.Value(initial: \(value) as \(property.wrappedType)?)"
        }
        if options.isExternal || AttributeTypes.isExternal(property.wrappedType) { arguments += ", external: true" }
        description = ".attribute(\(raw: arguments))\(raw: options.isEncrypted ? ".encrypted()" : "")"
    }

    private static func type(
        of property: ModelProperty, _ options: AttributeArguments
    ) throws(MacroProblem) -> String {
        if let transformer = options.transformer { return ".transformable(transformer: \(transformer))" }
        if let type = options.type { return "\(type)" }
        if let type = AttributeTypes.attributeType(of: property.wrappedType) { return ".\(type)" }
        if property.wrappedType.lastName == "Set" {
            throw MacroProblem(
                property.declaration.bindings,
                "\(property.name) is a set: a set of objects is a @Relationship, and a set of "
                    + "values needs a transformer, as in @Attribute(.transformer(\"name\"))")
        }
        throw MacroProblem(
            property.declaration.bindings,
            "no attribute type can be inferred from \(property.type), only from \(AttributeTypes.supported) and "
                + "their optionals; an enumeration needs a type, as in @Attribute(.type(.integer16)), any other type a "
                + "transformer, as in @Attribute(.transformer(\"name\")), and an object is a @Relationship")
    }

    private static func checkTransformable(_ property: ModelProperty) throws(MacroProblem) {
        guard property.isOptional else {
            let optional = OptionalTypeSyntax(wrappedType: property.wrappedType)
            throw MacroProblem(
                property.declaration.bindings,
                "a property with a transformer is optional: it reads as nil until it is set",
                fixIts: property.declaration.typeAnnotation.map {
                    [.replace("write \(optional)", $0.type, with: optional)]
                } ?? [])
        }
        if let value = property.declaration.bindings.first?.initializer?.value, !value.is(NilLiteralExprSyntax.self) {
            throw MacroProblem(
                value,
                "a property with a transformer has no initial value, since the model does not encode it; set it in "
                    + "awakeFromInsert()")
        }
    }

    /// Refuses a default that would be made anew each time, a date or a UUID: it is made once for all objects.
    private static func checkIsConstant(_ value: ExprSyntax, _ property: ModelProperty) throws(MacroProblem) {
        let text = value.trimmedDescription.filter { !$0.isWhitespace }
        let changing: Set<String> =
            switch property.wrappedType.lastName {
            case "Date": ["Date()", "Date.now", ".now", ".init()", "Date.init()", "Foundation.Date()"]
            case "UUID": ["UUID()", ".init()", "UUID.init()", "Foundation.UUID()"]
            default: []
            }
        guard changing.contains(text) else { return }
        throw MacroProblem(
            property.declaration.bindings.first?.initializer?.value ?? value,
            "the initial value of \(property.name) would be made once and shared by all objects: set it in awakeFromInsert()"
        )
    }
}

extension VariableDeclSyntax {
    /// The written type of the first binding.
    var typeAnnotation: TypeAnnotationSyntax? { bindings.first?.typeAnnotation }
}
