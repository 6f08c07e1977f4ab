import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored `var` of an `@Entity` class that no macro makes part of the model.
///
/// Its value is not saved. If the program intends that, it says so by `@Transient`. Otherwise it is a mistake that
/// loses data silently, so it is a warning.
struct ForgottenProperty {
    private let declaration: VariableDeclSyntax
    private let name: String

    /// Finds the forgotten properties of a class.
    static func all(of members: MemberBlockItemListSyntax) -> [ForgottenProperty] {
        members.compactMap { $0.decl.as(VariableDeclSyntax.self).flatMap(ForgottenProperty.init) }
    }

    /// Nil for a property other than a stored `var` of objects, and for one with an attribute that may handle its
    /// value.
    private init?(_ declaration: VariableDeclSyntax) {
        guard declaration.bindingSpecifier.tokenKind == .keyword(.var),
            !declaration.modifiers.contains(where: { Self.meantModifiers.contains($0.name.text) }),
            declaration.attributes.allSatisfy(Self.leavesValueAlone),
            let binding = declaration.bindings.first(where: \.isStored),
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else { return nil }
        self.declaration = declaration
        name = pattern.identifier.identifier?.name ?? pattern.identifier.text
    }

    var problem: MacroProblem {
        let macro = Self.macro(for: declaration.typeAnnotation?.type)
        return MacroProblem(
            declaration.bindings,
            "\(name) is not saved: it has no \(macro.name), so it is not a part of the model; write "
                + "\(macro.name) before it to save it, or @Transient to keep it in memory only",
            severity: .warning,
            fixIts: [
                .replaceExactly("add @Transient", declaration, with: declaration.with(macro: "Transient")),
                .replaceExactly("add \(macro.name)", declaration, with: declaration.with(macro: macro.source)),
            ])
    }

    /// Chooses the macro for a property of this type: a `Set` is a relationship, any other type an attribute.
    static func macro(for type: TypeSyntax?) -> (name: String, source: String) {
        type?.unwrapped.lastName == "Set"
            ? ("@Relationship", "Relationship(inverse: \"<#inverse#>\")") : ("@Attribute", "Attribute")
    }

    /// Modifiers of intended plain properties. A lazy property is computed from others. A weak or unowned one does not
    /// own its value, so it is no value of a model.
    private static let meantModifiers: Set<String> = ["static", "class", "lazy", "weak", "unowned"]

    /// Attributes of the language without effect on a property's value. Any other is a macro or a property wrapper,
    /// which decides how the value is kept.
    private static let plainAttributes: Set<String> = [
        "available", "inlinable", "usableFromInline", "objc", "nonobjc", "MainActor", "preconcurrency",
        "discardableResult",
    ]

    private static func leavesValueAlone(_ element: AttributeListSyntax.Element) -> Bool {
        guard case .attribute(let attribute) = element else { return true }
        return plainAttributes.contains(attribute.attributeName.lastName ?? "")
    }
}

extension PatternBindingSyntax {
    /// Whether the property stores a value itself: it has no get and set, at most observers.
    fileprivate var isStored: Bool {
        switch accessorBlock?.accessors {
        case nil: true
        case .getter: false
        case .accessors(let accessors):
            accessors.allSatisfy {
                [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
            }
        }
    }
}

extension VariableDeclSyntax {
    /// Adds one more macro before the declaration, at its beginning.
    fileprivate func with(macro: String) -> VariableDeclSyntax {
        let attribute = AttributeSyntax(
            TypeSyntax("\(raw: macro)")
        ).with(\.leadingTrivia, leadingTrivia).with(\.trailingTrivia, .space)
        var bare = self
        bare.leadingTrivia = []
        return bare.with(\.attributes, [.attribute(attribute)] + bare.attributes)
    }
}
