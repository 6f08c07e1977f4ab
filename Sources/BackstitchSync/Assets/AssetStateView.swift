import Backstitch

/// The states of the assets of some rows, from the storage, the journal and the running transfers.
struct AssetStateView {
    private let rows: RowBatch
    private let presence: AssetPresence
    private let underWay: (downloads: [AssetReference: Double], uploads: [AssetPlace: Double])
    private let failures: [AssetPlace: String]
    private let blocked: [ObjectKey: OutboxEntry]
    private let pauses: TransferPauses
    /// Changes that a pause has blocked. The next property has the pending changes during a pause.
    private let held: Set<ObjectKey>
    private let waiting: [ObjectKey: OutboxEntry]
    private let wanted: Set<AssetPlace>
    private let settings: ApplySettings

    init(
        of rows: RowBatch, _ underWay: (downloads: [AssetReference: Double], uploads: [AssetPlace: Double]),
        _ journal: any JournalReading, _ settings: ApplySettings
    ) throws {
        self.rows = rows
        self.underWay = underWay
        self.settings = settings
        let columns = Set((0..<rows.count).map { rows.entityName(at: $0) })
            .compactMap { settings.model.entity(named: $0) }.flatMap(\.assetColumns)
        presence = AssetPresence(of: rows, columns, in: settings.assets)
        failures = try WantedAsset.failures(in: journal)
        blocked = Dictionary(try journal.blockedOutbox().map { ($0.objectID.key, $0) }) { first, _ in first }
        pauses = try TransferPauses(in: journal)
        if pauses.isEmpty {
            (held, waiting, wanted) = ([], [:], [])
        } else {
            let resting = pauses.isAll ? Array(rows.keys) : pauses.places.map(\.key)
            held = Set(try journal.subjects(of: .heldUpload))
            waiting = try journal.outbox(for: resting)
            wanted = Set(try journal.subjects(of: .wanted))
        }
    }

    /// Returns the assets of a row with their states.
    func assets(at row: Int) -> [ObjectAsset] {
        let id = rows.objectID(at: row)
        guard let entity = settings.model.entity(named: id.entityName) else { return [] }
        return entity.assetColumns.compactMap { column in
            guard case .asset(let reference) = rows.value(row, column.slot) else { return nil }
            return ObjectAsset(
                objectID: id, key: column.name, size: reference.size,
                state: state(of: reference, AssetPlace(key: id.key, attribute: column.name)))
        }
    }

    private func state(of reference: AssetReference, _ place: AssetPlace) -> AssetState {
        let size = reference.size
        if let fraction = underWay.downloads[reference] { return .downloading(fraction: fraction) }
        guard presence.contains(reference) else {
            if pauses.places.contains(place) || pauses.isAll && wanted.contains(place) {
                return .paused(.download, size: size)
            }
            return failures[place].map { .failed(.download, size: size, reason: $0) } ?? .remote(size: size)
        }
        if let fraction = underWay.uploads[place] { return .uploading(size: size, fraction: fraction) }
        if let entry = blocked[place.key], let reason = entry.blockedReason, entry.sends(place.attribute) {
            if pauses.hold(place) { return .paused(.upload, size: size) }
            // The change waits for another asset of the object.
            return held.contains(place.key) ? .local(size: size) : .failed(.upload, size: size, reason: reason)
        }
        if pauses.hold(place), waiting[place.key]?.sends(place.attribute) == true {
            return .paused(.upload, size: size)
        }
        return .local(size: size)
    }
}
