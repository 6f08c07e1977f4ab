import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The class that `@Entity` is attached to.
struct EntityClass {
    let declaration: ClassDeclSyntax
    let entityName: ExprSyntax
    let properties: [ModelProperty]

    /// Reads the class, and refuses anything else.
    init(_ macro: AttributeSyntax, on group: some DeclGroupSyntax) throws(MacroProblem) {
        guard let declaration = group.as(ClassDeclSyntax.self) else {
            throw MacroProblem(
                group.introducer, "@Entity is for classes that inherit from ManagedObject, and this is no class")
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

    /// The class's name, as it is written.
    var className: String { declaration.name.trimmedDescription }

    /// The access level that its members need to be seen as far as it is, with a space after it.
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

    /// Refuses a property that is not in an `@Entity` class: nothing would describe it.
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
            "\(macroName) is for properties of an @Entity class, and \(declaration.name.text) is none: "
                + "write @Entity before it, or get and set by hand")
    }
}
