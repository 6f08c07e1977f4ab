import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plug-in with the four macros.
@main
struct BackstitchMacroPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        EntityMacro.self, AttributeMacro.self, RelationshipMacro.self, TransientMacro.self,
    ]
}
