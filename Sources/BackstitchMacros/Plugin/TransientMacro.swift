import BackstitchMacroExpansion

/// `@Transient` under the name that the compiler looks for.
final class TransientMacro: BackstitchMacroExpansion.TransientMacro {}
