import BackstitchMacroExpansion

/// `@Attribute` under the name that the compiler looks for.
final class AttributeMacro: BackstitchMacroExpansion.AttributeMacro {}
