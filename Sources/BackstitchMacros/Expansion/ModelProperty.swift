import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A property of an entity's class, as a macro sees it.
struct ModelProperty {
    /// The kinds of properties, one for each macro.
    enum Kind {
        case attribute
        case relationship
    }

    let kind: Kind
    /// The macro attached to the property.
    let macro: AttributeSyntax
    let declaration: VariableDeclSyntax
    /// The name in Swift, with backticks if the source has them.
    let identifier: TokenSyntax
    /// The written type without its optional mark.
    let wrappedType: TypeSyntax
    /// The type as it is written in the source.
    let type: TypeSyntax
    let isOptional: Bool
    let initialValue: ExprSyntax?

    /// The name in the model, without backticks.
    var name: String { identifier.identifier?.name ?? identifier.text }

    /// The arguments of the macro, as written.
    var arguments: LabeledExprListSyntax {
        if case .argumentList(let list)? = macro.arguments { list } else { [] }
    }

    /// The kind of property for a macro; nil for other attributes.
    static func kind(of macro: AttributeSyntax) -> Kind? {
        switch macro.attributeName.lastName {
        case "Attribute": .attribute
        case "Relationship": .relationship
        default: nil
        }
    }

    /// Finds the properties of a class that belong to its model. A fault of a property is reported by its own macro.
    static func all(of members: MemberBlockItemListSyntax) -> [ModelProperty] {
        members.compactMap { member in
            guard let declaration = member.decl.as(VariableDeclSyntax.self) else { return nil }
            for case .attribute(let macro) in declaration.attributes where kind(of: macro) != nil {
                return try? ModelProperty(macro, on: declaration)
            }
            return nil
        }
    }
}

extension ModelProperty {
    /// Reads the property at the macro, and refuses declarations that the macro does not support.
    init(_ macro: AttributeSyntax, on declaration: some DeclSyntaxProtocol) throws(MacroProblem) {
        let macroName = "@\(macro.attributeName.trimmedDescription)"
        guard let kind = Self.kind(of: macro), let variable = declaration.as(VariableDeclSyntax.self) else {
            throw MacroProblem(declaration, "\(macroName) is for properties")
        }
        guard variable.bindingSpecifier.tokenKind == .keyword(.var) else {
            throw MacroProblem(
                variable.bindingSpecifier, "\(macroName) needs var: the property's value is the model's",
                fixIts: [
                    .replace(
                        "write var", variable.bindingSpecifier,
                        with: variable.bindingSpecifier.with(\.tokenKind, .keyword(.var)))
                ])
        }
        for modifier in variable.modifiers where Self.refusedModifiers.contains(modifier.name.text) {
            throw MacroProblem(
                modifier, "\(macroName) is for properties of objects: they are not \(modifier.name.text)")
        }
        guard variable.bindings.count == 1, let binding = variable.bindings.first,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else { throw MacroProblem(variable, "\(macroName) is for one property: declare each by a var of its own") }
        if let accessors = binding.accessorBlock {
            throw MacroProblem(accessors, "\(macroName) makes get and set; a property that has its own needs no macro")
        }
        guard let type = binding.typeAnnotation?.type else { throw Self.missingType(macroName, binding, pattern) }
        try self.init(
            kind: kind, macro: macro, declaration: variable, identifier: pattern.identifier, type: type,
            initialValue: binding.initializer?.value)
    }

    private init(
        kind: Kind, macro: AttributeSyntax, declaration: VariableDeclSyntax, identifier: TokenSyntax, type: TypeSyntax,
        initialValue: ExprSyntax?
    ) throws(MacroProblem) {
        if let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            let optional = OptionalTypeSyntax(wrappedType: unwrapped.wrappedType)
            throw MacroProblem(
                type, "a property of the model is optional, or it is not: there is no \(type.trimmedDescription)",
                fixIts: [.replace("write \(optional)", type, with: optional)])
        }
        self.kind = kind
        self.macro = macro
        self.declaration = declaration
        self.identifier = identifier.trimmed
        self.type = type.trimmed
        wrappedType = type.unwrapped.trimmed
        isOptional = type.isOptional
        self.initialValue = initialValue?.trimmed
    }

    private static let refusedModifiers: Set<String> = ["static", "class", "lazy", "weak", "unowned"]

    private static func missingType(
        _ macroName: String, _ binding: PatternBindingSyntax, _ pattern: IdentifierPatternSyntax
    ) -> MacroProblem {
        var fixIts: [FixIt] = []
        if let guess = binding.initializer?.value.literalType {
            let typed = binding.with(\.pattern, PatternSyntax(pattern.trimmed))
                .with(
                    \.typeAnnotation,
                    TypeAnnotationSyntax(
                        colon: .colonToken(trailingTrivia: .space), type: TypeSyntax("\(raw: guess)"),
                        trailingTrivia: .space))
            fixIts = [.replaceExactly("add \": \(guess)\"", binding, with: typed)]
        }
        return MacroProblem(
            pattern, "\(macroName) needs the property's type: write \"var \(pattern.identifier.text): …\"",
            fixIts: fixIts)
    }
}

extension ExprSyntax {
    /// The type that Swift infers for a literal; nil for any other expression.
    fileprivate var literalType: String? {
        switch kind {
        case .stringLiteralExpr: "String"
        case .integerLiteralExpr: "Int"
        case .floatLiteralExpr: "Double"
        case .booleanLiteralExpr: "Bool"
        default: nil
        }
    }
}
