import Backstitch

extension SyncServices {
    func assetStates(of entityName: String, _ predicate: FetchPredicate?) async throws -> [ObjectAsset] {
        let entity = try settings.model.model.requireEntity(named: entityName)
        let request = StoreFetchRequest(
            entity: entity, predicate: try predicate?.resolved(for: entity, in: settings.model.model))
        return try await onWholeStore { [settings, transfers] store in
            // Read before the rows, so that an asset that arrives meanwhile is shown as downloading or as here.
            let underWay = transfers.underWay
            return try store.readJournal { journal in
                let rows = try journal.fetch(request)
                let view = try AssetStateView(of: rows, underWay, journal, settings)
                return (0..<rows.count).flatMap(view.assets)
                    .sorted { ($0.objectID.key, $0.key) < ($1.objectID.key, $1.key) }
            }
        }
    }
}

extension SyncServices {
    /// Returns the state of one attribute's bytes; nil if it has no asset.
    func assetState(of id: ObjectID, _ key: String) async throws -> AssetState? {
        let entity = try settings.model.model.requireEntity(named: id.entityName)
        return try await onWholeStore { [settings, transfers] store in
            let underWay = transfers.underWay
            return try store.readJournal { journal in
                let rows = try journal.rows(of: entity, keys: [id.key])
                guard rows.count == 1 else { return nil }
                return try AssetStateView(of: rows, underWay, journal, settings).assets(at: 0)
                    .first { $0.key == key }?.state
            }
        }
    }
}
