extension RowBatch {
    /// The references to bytes in external attributes of its rows, one for each use.
    package var assetReferences: [AssetReference] {
        var references: [AssetReference] = []
        for column in entity.externalColumns {
            for row in 0..<count {
                if case .asset(let reference) = value(row, column) { references.append(reference) }
            }
        }
        return references
    }
}
