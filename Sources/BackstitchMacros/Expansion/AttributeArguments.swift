import SwiftSyntax

/// The arguments of `@Attribute(…)`, read and checked.
struct AttributeArguments {
    /// Whether `.externalStorage` is among the arguments.
    private(set) var isExternal = false
    private(set) var isEncrypted = false
    /// The expression for the transformer's name; nil without `.transformer`.
    private(set) var transformer: ExprSyntax?
    /// The expression for the attribute type; nil without `.type`.
    private(set) var type: ExprSyntax?

    init(_ property: ModelProperty) throws(MacroProblem) {
        for argument in property.arguments { try read(argument.expression) }
        if transformer != nil, type != nil {
            throw MacroProblem(property.macro, "a transformer decides the type: leave \".type\" out")
        }
        if isExternal, transformer != nil || AttributeTypes.attributeType(of: property.wrappedType) != "binary" {
            throw MacroProblem(
                property.macro, ".externalStorage is for bytes: \(property.name) is \(property.type), not Data")
        }
    }

    private mutating func read(_ option: ExprSyntax) throws(MacroProblem) {
        let call = option.as(FunctionCallExprSyntax.self)
        let member = (call?.calledExpression ?? option).as(MemberAccessExprSyntax.self)
        switch (member?.declName.baseName.text, call?.arguments.first?.expression) {
        case ("externalStorage", nil): isExternal = true
        case ("encrypted", nil): isEncrypted = true
        case ("transformer", let name?): transformer = name.trimmed
        case ("type", let type?): self.type = type.trimmed
        default:
            throw MacroProblem(
                option,
                "an option of @Attribute is written out: .externalStorage, .encrypted, .transformer(\"name\") or "
                    + ".type(.integer16)")
        }
    }
}
