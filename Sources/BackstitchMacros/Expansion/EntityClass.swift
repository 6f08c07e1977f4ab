import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The class with the `@Entity` macro, read for its expansion.
struct EntityClass {
    let declaration: ClassDeclSyntax
    let entityName: ExprSyntax
    /// The properties of the model; faulty ones are left out.
    let properties: [ModelProperty]

    /// Reads the class; refuses a declaration that is not a class, has no superclass or is generic.
    init(_ macro: AttributeSyntax, on group: some DeclGroupSyntax) throws(MacroProblem) {
        guard let declaration = group.as(ClassDeclSyntax.self) else {
            throw MacroProblem(
                group.introducer, "@Entity is for classes that inherit from ManagedObject, and this is not a class")
        }
        guard let inheritance = declaration.inheritanceClause, !inheritance.inheritedTypes.isEmpty else {
            throw Self.missingSuperclass(declaration)
        }
        if let generics = declaration.genericParameterClause {
            throw MacroProblem(generics, "an entity has one class: \(declaration.name.text) cannot be generic")
        }
        self.declaration = declaration
        if case .argumentList(let arguments)? = macro.arguments, let name = arguments.first?.expression,
            !name.is(NilLiteralExprSyntax.self)
        {
            entityName = name.trimmed
        } else {
            entityName = "\(literal: declaration.name.identifier?.name ?? declaration.name.text)"
        }
        properties = ModelProperty.all(of: declaration.memberBlock.members)
    }

    /// The class's name as it is written in the source.
    var className: String { declaration.name.trimmedDescription }

    /// The access level of the generated members, with a space after it: they are as visible as the class.
    var access: String {
        for modifier in declaration.modifiers {
            switch modifier.name.tokenKind {
            case .keyword(.public), .keyword(.open): return "public "
            case .keyword(.package): return "package "
            default: continue
            }
        }
        return ""
    }

    private static func missingSuperclass(_ declaration: ClassDeclSyntax) -> MacroProblem {
        let inheritance = InheritanceClauseSyntax(
            colon: .colonToken(trailingTrivia: .space),
            inheritedTypes: [
                InheritedTypeSyntax(type: TypeSyntax("ManagedObject"), trailingTrivia: declaration.name.trailingTrivia)
            ])
        let fixed = declaration.with(\.inheritanceClause, inheritance).with(\.name, declaration.name.trimmed)
        return MacroProblem(
            declaration.name,
            "an @Entity inherits from ManagedObject: write \"class \(declaration.name.text): ManagedObject\"",
            fixIts: [.replaceExactly("add \": ManagedObject\"", declaration, with: fixed)])
    }

    /// Refuses a property outside of an `@Entity` class: nothing would describe it.
    static func require(
        around property: ModelProperty, in context: some MacroExpansionContext
    ) throws(MacroProblem) {
        let macroName = "@\(property.macro.attributeName.trimmedDescription)"
        guard let declaration = context.lexicalContext.first?.as(ClassDeclSyntax.self) else {
            throw MacroProblem(property.macro, "\(macroName) is for properties in the body of an @Entity class")
        }
        let isEntity = declaration.attributes.contains {
            if case .attribute(let attribute) = $0 { attribute.attributeName.lastName == "Entity" } else { false }
        }
        if isEntity { return }
        throw MacroProblem(
            property.macro,
            "\(macroName) is for properties of an @Entity class, and \(declaration.name.text) is not one: write "
                + "@Entity before it, or get and set by hand")
    }
}
