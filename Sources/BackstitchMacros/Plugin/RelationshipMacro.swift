import BackstitchMacroExpansion

/// `@Relationship` under the name that the compiler looks for.
final class RelationshipMacro: BackstitchMacroExpansion.RelationshipMacro {}
