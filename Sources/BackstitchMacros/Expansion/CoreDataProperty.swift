import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A property of an `@Entity` class with `@NSManaged`, as in code from Core Data.
///
/// Swift accepts the attribute and expects Core Data to make the accessors at run time. Nothing makes them here, so the
/// program would fail to link, and the linker's message would not give the reason.
struct CoreDataProperty {
    private let attribute: AttributeSyntax
    private let declaration: VariableDeclSyntax

    /// Finds the properties of a class with the attribute.
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
