import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A property of an `@Entity` class with `@NSManaged`, as it comes from Core Data.
///
/// Swift takes the attribute and expects that Core Data makes the accessors when the program runs. Nothing makes them
/// here, and the program would not link, with words that do not tell why.
struct CoreDataProperty {
    private let attribute: AttributeSyntax
    private let declaration: VariableDeclSyntax

    /// The properties of a class that have the attribute.
    static func all(of members: MemberBlockItemListSyntax) -> [CoreDataProperty] {
        members.compactMap { member in
            guard let declaration = member.decl.as(VariableDeclSyntax.self) else { return nil }
            for case .attribute(let attribute) in declaration.attributes
            where attribute.attributeName.lastName == "NSManaged" {
                return CoreDataProperty(attribute: attribute, declaration: declaration)
            }
            return nil
        }
    }

    var problem: MacroProblem {
        let macro = ForgottenProperty.macro(for: declaration.typeAnnotation?.type)
        let written = attribute.with(\.attributeName, TypeSyntax("\(raw: macro.source)"))
        return MacroProblem(
            attribute, "@NSManaged is Core Data's, and makes nothing here: write \(macro.name)",
            fixIts: [.replace("write \(macro.name)", attribute, with: written)])
    }
}
