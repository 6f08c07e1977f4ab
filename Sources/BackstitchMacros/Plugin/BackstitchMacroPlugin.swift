import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plug-in with the four macros.
///
/// The compiler finds a macro by its type in this module. The code is in a module of its own, because SwiftPM builds a
/// test target that depends on a plug-in, and all that is built with it, a second time as a tool.
@main
struct BackstitchMacroPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        EntityMacro.self, AttributeMacro.self, RelationshipMacro.self, TransientMacro.self,
    ]
}
