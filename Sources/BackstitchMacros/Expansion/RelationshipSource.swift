import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Source code for the description of a relationship.
struct RelationshipSource {
    let description: ExprSyntax

    init(_ property: ModelProperty) throws(MacroProblem) {
        let isToMany = property.wrappedType.lastName == "Set" && property.wrappedType.genericArguments.count == 1
        let destination = try Self.destination(of: property, isToMany: isToMany)
        try Self.checkInitialValue(property)
        var arguments = "\"\(property.name)\", \(destination).entityName, inverse: \(try Self.inverse(of: property))"
        if let optional = property.argument("optional") {
            if isToMany {
                throw MacroProblem(
                    optional, "a to-many relationship may always be empty; require members in validate()")
            }
            arguments += ", optional: \(optional.expression)"
        }
        if let delete = property.argument("delete") { arguments += ", delete: \(delete.expression)" }
        description = ".\(raw: isToMany ? "toMany" : "toOne")(\(raw: arguments))"
    }

    private static func destination(of property: ModelProperty, isToMany: Bool) throws(MacroProblem) -> TypeSyntax {
        let written = property.declaration.typeAnnotation?.type ?? property.type
        if isToMany {
            guard property.isOptional else { return property.wrappedType.genericArguments[0].trimmed }
            throw MacroProblem(
                written, "a to-many relationship is a set, which may be empty, and no optional",
                fixIts: [.replace("write \(property.wrappedType)", written, with: property.wrappedType)])
        }
        if let element = element(of: property.wrappedType) {
            let set: TypeSyntax = "Set<\(element.trimmed)>"
            throw MacroProblem(
                written,
                "a @Relationship to many objects is a Set<\(element.trimmed)>; an ordered one is an array, and "
                    + "is described by hand with .toMany(…, ordered: true)",
                fixIts: [.replace("write \(set)", written, with: set)])
        }
        guard property.isOptional else {
            let optional = OptionalTypeSyntax(wrappedType: property.wrappedType)
            throw MacroProblem(
                written,
                "a to-one relationship reads as nil until its object has arrived: it is a \(optional); to require one "
                    + "at save, say optional: false",
                fixIts: [.replace("write \(optional)", written, with: optional)])
        }
        if AttributeTypes.attributeType(of: property.wrappedType) != nil {
            throw MacroProblem(
                written, "a relationship leads to objects, and \(property.type) is not an object: use @Attribute")
        }
        return property.wrappedType
    }

    private static func element(of type: TypeSyntax) -> TypeSyntax? {
        if let array = type.as(ArrayTypeSyntax.self) { return array.element }
        return type.lastName == "Array" ? type.genericArguments.first : nil
    }

    /// The inverse's name as a literal: the written string, or the last name of a key path.
    private static func inverse(of property: ModelProperty) throws(MacroProblem) -> String {
        guard let inverse = property.argument("inverse")?.expression, !inverse.is(NilLiteralExprSyntax.self) else {
            throw missingInverse(property)
        }
        guard let path = inverse.as(KeyPathExprSyntax.self) else { return "\(inverse.trimmed)" }
        guard path.root != nil, path.components.count == 1,
            let name = path.components.first?.component.as(KeyPathPropertyComponentSyntax.self)?.declName.baseName
        else { throw MacroProblem(inverse, "an inverse is a property of the destination, as in \\Folder.notes") }
        return "\"\(name.identifier?.name ?? name.text)\""
    }

    private static func missingInverse(_ property: ModelProperty) -> MacroProblem {
        let placeholder: LabeledExprSyntax = LabeledExprSyntax(
            label: .identifier("inverse"), colon: .colonToken(trailingTrivia: .space),
            expression: ExprSyntax("\"<#inverse#>\""))
        var rest = property.arguments.filter { $0.label?.text != "inverse" }
        if !rest.isEmpty {
            rest.insert(placeholder.with(\.trailingComma, .commaToken(trailingTrivia: .space)), at: rest.startIndex)
        }
        let arguments = rest.isEmpty ? [placeholder] : rest
        let macro = property.macro.with(\.leftParen, .leftParenToken()).with(\.rightParen, .rightParenToken())
            .with(\.attributeName, property.macro.attributeName.trimmed).with(\.arguments, .argumentList(arguments))
        return MacroProblem(
            property.macro,
            "\(property.name) needs an inverse: the name of the destination's relationship that leads back",
            fixIts: [.replace("add the inverse", property.macro, with: macro)])
    }

    private static func checkInitialValue(_ property: ModelProperty) throws(MacroProblem) {
        guard let value = property.declaration.bindings.first?.initializer?.value else { return }
        let isEmpty = value.as(ArrayExprSyntax.self)?.elements.isEmpty ?? value.is(NilLiteralExprSyntax.self)
        if isEmpty { return }
        throw MacroProblem(value, "a relationship of a new object is empty: link it in awakeFromInsert()")
    }
}

extension ModelProperty {
    /// Finds the macro's argument with this label.
    func argument(_ label: String) -> LabeledExprSyntax? {
        arguments.first { $0.label?.text == label }.map { $0.with(\.trailingComma, nil) }
    }
}
