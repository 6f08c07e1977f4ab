import Backstitch
import BackstitchSupport

extension JournalReading {
    /// Returns the assets that pending changes will upload.
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

extension JournalReading {
    /// Returns for each upload whether an unsent change still needs its bytes on the server, in its zone.
    ///
    /// - Complexity: O(*n*) in the number of uploads, in a few queries.
    func unsent(_ uploads: [(zone: Int64, upload: SyncServices.Upload)], _ settings: ApplySettings) throws -> [Bool] {
        var unsent: Set<AssetBytes> = []
        for keys in Array(Set(uploads.map(\.upload.place.key))).parts(of: 1_000) {
            let keys = Array(keys)
            let zones = try zones(of: keys), states = try recordStates(for: keys)
            let entries = try outbox(for: keys).filter { $0.value.kind != .delete }
            for (name, changes) in Dictionary(grouping: entries.values, by: \.objectID.entityName) {
                guard let entity = settings.model.entity(named: name) else { continue }
                let rows = try rows(of: entity.entity, keys: changes.map(\.objectID.key))
                for row in 0..<rows.count {
                    let key = rows.keys[row]
                    // A record that the server does not have is sent whole.
                    let isWhole = states[key]?.changeTag == nil
                    for column in entity.assetColumns where isWhole || entries[key]?.sends(column.name) == true {
                        guard case .asset(let reference) = rows.value(row, column.slot) else { continue }
                        let place = AssetPlace(key: key, attribute: column.name)
                        unsent.insert(AssetBytes(zone: zones[key] ?? 0, place: place, reference: reference))
                    }
                }
            }
        }
        return uploads.map { zone, upload in
            unsent.contains(AssetBytes(zone: zone, place: upload.place, reference: upload.reference))
        }
    }
}

/// The bytes of one attribute, in a zone.
private struct AssetBytes: Hashable {
    let zone: Int64
    let place: AssetPlace
    let reference: AssetReference
}

extension OutboxEntry {
    /// Returns whether the change sends the value of an attribute.
    func sends(_ attribute: String) -> Bool {
        kind == .insert || kind == .update && fields.contains { $0.name == attribute }
    }
}
