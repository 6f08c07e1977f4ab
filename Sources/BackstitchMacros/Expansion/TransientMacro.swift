public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Transient`: generates nothing, but checks that the property has no second macro.
open class TransientMacro: PeerMacro {
    /// Reports a second macro, and returns nothing.
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self) else {
            context.diagnose(MacroProblem(node, "@Transient is for properties").diagnostic)
            return []
        }
        for case .attribute(let other) in variable.attributes where ModelProperty.kind(of: other) != nil {
            let name = other.attributeName.trimmedDescription
            let problem = MacroProblem(
                node, "a property is @Transient or @\(name): the first is not saved, the second is part of the model")
            context.diagnose(problem.diagnostic)
        }
        return []
    }
}
