import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The macros, for the compiler.
@main
struct BackstitchMacroPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        EntityMacro.self, AttributeMacro.self, RelationshipMacro.self, TransientMacro.self,
    ]
}
