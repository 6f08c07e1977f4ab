public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@Relationship`: makes accessors that get and set the value by the property's name.
open class RelationshipMacro: AccessorMacro {
    /// Returns the accessors of the property.
    public static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        do {
            let property = try ModelProperty(node, on: declaration)
            try EntityClass.require(around: property, in: context)
            _ = try RelationshipSource(property)
            return accessors("self[\(literal: property.name)]")
        } catch {
            context.diagnose(error.diagnostic)
            return []
        }
    }
}
