import Backstitch

/// Decides which assets are downloaded automatically.
struct AutomaticAssets: Sendable {
    /// `key` or `Entity.key` of assets that are downloaded on request only.
    var excluded: Set<String> = []
    /// The size of the largest automatic asset, in bytes, if the model does not say.
    var largest = Int64.max

    /// Returns whether an asset of this size is automatic. It is not if an option names its attribute. Otherwise the
    /// model decides, or the size if the model does not say.
    func include(_ column: ResolvedProperty, of entity: String, size: Int64) -> Bool {
        if excluded.contains(column.name) || excluded.contains("\(entity).\(column.name)") { return false }
        return column.attribute?.assetPolicy?.brings(size) ?? (size <= largest)
    }
}
