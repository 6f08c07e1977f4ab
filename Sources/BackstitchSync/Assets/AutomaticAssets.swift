import Backstitch

/// Says which assets are downloaded without being asked for.
struct AutomaticAssets: Sendable {
    /// `key` or `Entity.key` of assets that are downloaded only when asked for.
    var excluded: Set<String> = []
    /// Bytes of the largest one, where the model says nothing of it.
    var largest = Int64.max

    /// Whether an asset of so many bytes is: not where an option names its attribute; else as the model says, or by its
    /// size where the model says nothing.
    func include(_ column: ResolvedProperty, of entity: String, size: Int64) -> Bool {
        if excluded.contains(column.name) || excluded.contains("\(entity).\(column.name)") { return false }
        return column.attribute?.assetPolicy?.brings(size) ?? (size <= largest)
    }
}
