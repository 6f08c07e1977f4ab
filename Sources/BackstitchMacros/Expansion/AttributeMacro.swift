public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@Attribute`: makes accessors that get and set the value by the property's name.
open class AttributeMacro: AccessorMacro {
    /// Returns the accessors of the property.
    public static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        do {
            let property = try ModelProperty(node, on: declaration)
            try EntityClass.require(around: property, in: context)
            let attribute = try AttributeSource(property)
            return attribute.isTransformable
                ? accessors("self[transformed: \(literal: property.name)]")
                : accessors("self[\(literal: property.name)]")
        } catch {
            context.diagnose(error.diagnostic)
            return []
        }
    }
}

extension AccessorMacro {
    /// Makes accessors that read and set an expression.
    static func accessors(_ place: ExprSyntax) -> [AccessorDeclSyntax] {
        ["get { \(place) }", "set { \(place) = newValue }"]
    }
}
