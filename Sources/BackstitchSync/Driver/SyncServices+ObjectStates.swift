import Backstitch
import BackstitchSupport

extension SyncServices {
    func objectStates(of ids: [ObjectID]) async throws -> [ObjectID: SyncObjectState] {
        try await onWholeStore { [settings, bell, names = client.names] store in
            // Read before the rows, so that a change that is taken meanwhile is shown as sent or as uploading.
            let underWay = bell.areUnderWay(ids.map(\.key))
            return try store.readJournal { journal in
                let parked = try journal.parkedReasons(names)
                var states: [ObjectID: SyncObjectState] = [:]
                states.reserveCapacity(ids.count)
                for (name, ids) in Dictionary(grouping: Set(ids), by: \.entityName) {
                    let entity = try settings.model.model.requireEntity(named: name)
                    for part in ids.sorted().parts(of: 1_000) {
                        let view = try ObjectStateView(
                            of: Array(part), entity, underWay: underWay, journal, settings, parked: parked)
                        for id in part { states[id] = try view.state(of: id) }
                    }
                }
                return states
            }
        }
    }
}

/// The state of some objects of an entity, from the journal and the rows.
private struct ObjectStateView {
    private let entity: ResolvedEntity
    private let rows: RowBatch
    private let positions: [ObjectKey: Int]
    private let entries: [ObjectKey: OutboxEntry]
    private let records: [ObjectKey: RecordState]
    private let underWay: Set<ObjectKey>
    private let settings: ApplySettings
    private let presence: AssetPresence
    private let parked: [ObjectKey: String]

    init(
        of ids: [ObjectID], _ entity: ResolvedEntity, underWay: Set<ObjectKey>, _ journal: any JournalReading,
        _ settings: ApplySettings, parked: [ObjectKey: String]
    ) throws {
        self.parked = parked
        let keys = ids.map(\.key)
        self.entity = entity
        rows = try journal.rows(of: entity, keys: keys)
        positions = Dictionary(rows.keys.enumerated().map { ($1, $0) }) { first, _ in first }
        entries = try journal.outbox(for: keys)
        records = try journal.recordStates(for: keys)
        self.underWay = underWay
        self.settings = settings
        presence = AssetPresence(
            of: rows, settings.model.entity(named: entity.name)?.assetColumns ?? [], in: settings.assets)
    }

    func state(of id: ObjectID) throws -> SyncObjectState {
        let row = positions[id.key]
        return SyncObjectState(
            try phase(of: id, row), remoteAssets: row.map(remoteAssets) ?? [], unreadable: parked[id.key])
    }

    private func phase(of id: ObjectID, _ row: Int?) throws -> SyncObjectState.Phase {
        let isKnown = records[id.key]?.changeTag != nil
        guard let entry = entries[id.key] else {
            if row == nil { return .absent }
            return isKnown ? .synced : .local
        }
        if let reason = entry.blockedReason { return .blocked(entry.kind, reason: reason) }
        // Its entry is removed when the next batch is built.
        if let row, !isKnown, try !goesToServer(row) { return .local }
        return underWay.contains(id.key) ? .uploading(entry.kind) : .pending(entry.kind)
    }

    private func goesToServer(_ row: Int) throws -> Bool {
        let id = rows.objectID(at: row)
        guard let entity = settings.model.entity(named: id.entityName) else { return false }
        do { return try entity.wants(id, RecordImage(values: rows.values(at: row), links: [:])) } catch {
            // The push finds the fault, and blocks the change with it.
            return true
        }
    }

    private func remoteAssets(_ row: Int) -> [String] {
        let id = rows.objectID(at: row)
        guard let entity = settings.model.entity(named: id.entityName) else { return [] }
        return entity.remoteAssets(of: rows, at: row, presence).map(\.key).sorted()
    }
}
