import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A property of an entity's class, as a macro sees it.
struct ModelProperty {
    /// The kinds of properties, by their macro.
    enum Kind {
        case attribute
        case relationship
    }

    let kind: Kind
    /// The macro that is attached.
    let macro: AttributeSyntax
    let declaration: VariableDeclSyntax
    /// The name in Swift, with backticks where it has some.
    let identifier: TokenSyntax
    /// The type as it is written, without what makes it optional.
    let wrappedType: TypeSyntax
    /// The type as it is written.
    let type: TypeSyntax
    let isOptional: Bool
    let initialValue: ExprSyntax?

    /// The name in the model.
    var name: String { identifier.identifier?.name ?? identifier.text }

    /// The macro's arguments.
    var arguments: LabeledExprListSyntax {
        if case .argumentList(let list)? = macro.arguments { list } else { [] }
    }

    /// The macro's name and what it is for, for messages.
    static func kind(of macro: AttributeSyntax) -> Kind? {
        switch macro.attributeName.lastName {
        case "Attribute": .attribute
        case "Relationship": .relationship
        default: nil
        }
    }

    /// The properties of a class that are part of its model. A fault of a property is reported by its own macro.
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
    /// Reads the property that `macro` is attached to.
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
    /// The type that Swift gives to a literal.
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
