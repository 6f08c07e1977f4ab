import Backstitch

/// The assets of some rows whose bytes are here, found by one look at the storage.
struct AssetPresence {
    private let present: Set<AssetReference>

    /// - Parameter columns: The columns with assets, of any entity whose rows may be among them.
    init(of rows: RowBatch, _ columns: [ResolvedProperty], in storage: any AssetStorage) {
        guard !columns.isEmpty else {
            present = []
            return
        }
        var references: Set<AssetReference> = []
        for row in 0..<rows.count {
            for column in columns {
                if case .asset(let reference) = rows.value(row, column.slot) { references.insert(reference) }
            }
        }
        present = storage.present(among: references)
    }

    func contains(_ reference: AssetReference) -> Bool { present.contains(reference) }
}
