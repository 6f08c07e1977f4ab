import BackstitchMacroExpansion

/// `@Entity` under the name that the compiler looks for.
final class EntityMacro: BackstitchMacroExpansion.EntityMacro {}
