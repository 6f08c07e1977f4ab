public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@Entity`: makes the entity's name, description and key paths, and the conformance to `EntityObject`.
open class EntityMacro: MemberMacro {
    /// Returns the members to add to the class.
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        do {
            let entity = try EntityClass(node, on: declaration)
            let members = entity.declaration.memberBlock.members
            let problems =
                CoreDataProperty.all(of: members).map(\.problem) + ForgottenProperty.all(of: members).map(\.problem)
            for problem in problems { context.diagnose(problem.diagnostic) }
            return [name(of: entity), description(of: entity), keyPathNames(of: entity)]
        } catch {
            context.diagnose(error.diagnostic)
            return []
        }
    }

    private static func name(of entity: EntityClass) -> DeclSyntax {
        """
        /// The name of the entity in the model.
        \(raw: entity.access)nonisolated static let entityName: Swift.String = \(entity.entityName)
        """
    }

    private static func description(of entity: EntityClass) -> DeclSyntax {
        let properties = entity.properties.compactMap(source(of:))
        return """
            /// The entity, for a model.
            \(raw: entity.access)nonisolated static let entityDescription = Backstitch.EntityDescription(
            \(raw: "    entityName, class: \(entity.className).self,\n    [\(lines(properties, indentation: "    "))])")
            """
    }

    private static func keyPathNames(of entity: EntityClass) -> DeclSyntax {
        let pairs = entity.properties.map { "(\\\(entity.className).\($0.identifier), \"\($0.name)\")" }
        return """
            /// The key paths of the properties, for `#Predicate`.
            \(raw: entity.access)nonisolated static let keyPathNames = BackstitchMacros.KeyPathNames(
            \(raw: "    [\(lines(pairs, indentation: "    "))])")
            """
    }

    /// The description of a property; nil for a faulty one, whose own macro reports the fault.
    private static func source(of property: ModelProperty) -> String? {
        switch property.kind {
        case .attribute: (try? AttributeSource(property))?.description.description
        case .relationship: (try? RelationshipSource(property))?.description.description
        }
    }

    /// Writes the elements of an array literal, each on its own line.
    private static func lines(_ elements: [String], indentation: String) -> String {
        if elements.isEmpty { return "" }
        return "\n" + elements.map { "\(indentation)    \($0),\n" }.joined() + indentation
    }
}

extension EntityMacro: ExtensionMacro {
    /// Returns the extension that conforms the class to `EntityObject`.
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        // The members' expansion reports a fault of the class, so it is not reported here again.
        guard !protocols.isEmpty, (try? EntityClass(node, on: declaration)) != nil else { return [] }
        return [try ExtensionDeclSyntax("extension \(type.trimmed): nonisolated BackstitchMacros.EntityObject {}")]
    }
}
