import Backstitch
import BackstitchSupport

extension JournalReading {
    /// The assets that changes will bring to the server which wait to be sent.
    ///
    /// - Complexity: O(*n*) in the number of those changes, in a few queries.
    func unsentAssets(_ settings: ApplySettings) throws -> [AssetTransfers.Upload] {
        var uploads: [AssetTransfers.Upload] = []
        let entries = Dictionary(grouping: try outbox(after: 0, limit: .max), by: \.objectID.entityName)
        for (name, entries) in entries {
            guard let entity = settings.model.entity(named: name), !entity.assetColumns.isEmpty else { continue }
            let changed = entries.filter { $0.kind != .delete }
            let byKey = Dictionary(changed.map { ($0.objectID.key, $0) }) { first, _ in first }
            for part in changed.parts(of: 1_000) {
                let rows = try rows(of: entity.entity, keys: part.map(\.objectID.key))
                for row in 0..<rows.count {
                    guard let entry = byKey[rows.keys[row]] else { continue }
                    for column in entity.assetColumns where entity.sends(column) && entry.sends(column.name) {
                        guard case .asset(let reference) = rows.value(row, column.slot) else { continue }
                        let place = AssetPlace(key: rows.keys[row], attribute: column.name)
                        uploads.append(AssetTransfers.Upload(place: place, reference: reference))
                    }
                }
            }
        }
        return uploads
    }
}

extension OutboxEntry {
    /// Whether the value of an attribute goes with it.
    func sends(_ attribute: String) -> Bool {
        kind == .insert || kind == .update && fields.contains { $0.name == attribute }
    }
}
